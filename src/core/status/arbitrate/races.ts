/**
 * Sources report the same event one after the other. Each span here is such a race that was seen, with room for a
 * loaded machine. Within the span the slower source may still describe the moment before. Spans that a person may want
 * to set are in `thresholds.ts`.
 */

/**
 * After Stop the spinner disappears within 100 ms, or within 700 ms on an overloaded machine (2.1.329). A spinner that
 * turns longer belongs to a turn that no hook announced.
 */
export const END_LAG_MS = 1_000;
/** The same span if the registry, too, says that the turn is over. */
export const CONFIRMED_END_LAG_MS = 5_000;
/**
 * How long before its hook a dialog may be seen: a hook has the time of its event, a frame the time when it was drawn.
 */
export const EARLY_DIALOG_MS = 1_000;
/** How long the dialog of a permission may stay undrawn before CBOS believes the screen that no dialog is open. */
export const DIALOG_LAG_MS = 2_000;
/**
 * How long the screen may show no turn after a hook announced a prompt. Another hook, one of the user's, may have
 * blocked it.
 */
export const NEVER_BEGAN_MS = 3_000;
/** How long after a hook a reading must begin to be new and not the screen from before the hook. */
export const NEWS_MS = 150;
/**
 * How much older than a hook a registry record may be and still describe the same event. Claude Code writes the
 * registry 10 to 140 ms after the event.
 */
export const REGISTRY_LAG_MS = 200;
