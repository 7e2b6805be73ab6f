/**
 * Sources tell of the same event one after the other. Each span here is such a race that was seen, with room for a
 * loaded machine: within it the slower source may still speak of what was before. Those that a person may want to set
 * are in `thresholds.ts`.
 */

/**
 * After Stop the spinner goes within 100 ms, on a machine with too much to do within 700 ms (2.1.329); one that still
 * turns belongs to a turn that no hook announced.
 */
export const END_LAG_MS = 1_000;
/** The same where the registry, too, says that the turn is over. */
export const CONFIRMED_END_LAG_MS = 5_000;
/**
 * How long before its hook a dialog may be seen: hooks bear the time of their event, the screen that of its drawing.
 */
export const EARLY_DIALOG_MS = 1_000;
/** How long an asked permission may stay undrawn before the screen is believed that no dialog is open. */
export const DIALOG_LAG_MS = 2_000;
/** A prompt that the hook announced and the screen never worked on (blocked by another hook of the user's). */
export const NEVER_BEGAN_MS = 3_000;
/** A reading that began this long after a hook is news, not the picture from before. */
export const NEWS_MS = 150;
/**
 * The registry is written 10 to 140 ms after the event, so a record this much older may still speak of the same event.
 */
export const REGISTRY_LAG_MS = 200;
