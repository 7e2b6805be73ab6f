/**
 * Different sources report the same event at different times. Each constant in this file covers one race that was
 * observed, with a margin for a loaded machine. Within that time, the slower source may still describe the state before
 * the event. Durations that users may want to change are in `thresholds.ts`.
 */

/**
 * How long a spinner may keep turning after the Stop hook. It disappears within 100 ms, or within 700 ms on an
 * overloaded machine (2.1.329). A spinner that turns for longer belongs to a turn that no hook announced.
 */
export const END_LAG_MS = 1_000;
/** The same limit for the case in which the registry also reports that the turn is over. */
export const CONFIRMED_END_LAG_MS = 5_000;
/**
 * How long before its hook a dialog may appear on the screen. A hook contains the time of its event, whereas a frame
 * contains the time at which it was drawn.
 */
export const EARLY_DIALOG_MS = 1_000;
/** How long a permission dialog may be missing from the screen before CBOS concludes that no dialog is open. */
export const DIALOG_LAG_MS = 2_000;
/**
 * How long the screen may show no turn after a hook has announced a prompt. After that, CBOS assumes that one of the
 * user's own hooks blocked the prompt.
 */
export const NEVER_BEGAN_MS = 3_000;
/**
 * A screen reading counts as new only if it begins at least this long after a hook. An earlier reading may still show
 * the screen from before the hook.
 */
export const NEWS_MS = 150;
/**
 * How much older than a hook a registry record may be and still describe the same event. Claude Code writes the
 * registry 10 to 140 ms after the event.
 */
export const REGISTRY_LAG_MS = 200;
/**
 * How long a registry record that reports a turn contradicts the Stop hook if the screen shows neither a turn nor a
 * prompt. If the disk is full, the record remains as it was when the turn began.
 */
export const UNSEEN_END_LAG_MS = 5_000;
