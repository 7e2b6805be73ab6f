/**
 * Different sources report the same event at different times. Each constant here covers one observed race, with a
 * margin for a loaded machine. Within that time, the slower source may still describe the state before the event.
 * Durations that a user may want to set are in `thresholds.ts`.
 */

/**
 * After Stop the spinner disappears within 100 ms, or within 700 ms on an overloaded machine (2.1.329). If a spinner
 * keeps turning for longer, it belongs to a turn that no hook announced.
 */
export const END_LAG_MS = 1_000;
/** The same limit when the registry also reports that the turn is over. */
export const CONFIRMED_END_LAG_MS = 5_000;
/**
 * How long before its hook a dialog may be seen. A hook contains the time of its event, and a frame contains the time
 * at which it was drawn.
 */
export const EARLY_DIALOG_MS = 1_000;
/** How long a permission dialog may be missing from the screen before CBOS believes that no dialog is open. */
export const DIALOG_LAG_MS = 2_000;
/**
 * How long the screen may show no turn after a hook announced a prompt. After that, CBOS assumes that one of the user's
 * own hooks blocked the prompt.
 */
export const NEVER_BEGAN_MS = 3_000;
/**
 * A screen reading counts as new only if it begins at least this long after a hook. An earlier reading may still show
 * the screen as it was before the hook.
 */
export const NEWS_MS = 150;
/**
 * How much older than a hook a registry record may be while still describing the same event. Claude Code writes the
 * registry 10 to 140 ms after the event.
 */
export const REGISTRY_LAG_MS = 200;
