/**
 * Sources tell of the same event one after the other. Each span here is such a race that was seen, with room for a loaded machine: within it
 * the slower source may still speak of what was before.
 */

/** The screen is drawn up to some 100 ms after the hook of the same event (2.1.329: 10 to 150 ms); a second covers a loaded machine. */
export const DRAW_LAG_MS = 1_000;
/**
 * After Stop the spinner goes within 100 ms, on a machine with too much to do within 700 ms (2.1.329); one that still turns belongs to
 * a turn that no hook announced.
 */
export const END_LAG_MS = 1_000;
/** The same where the registry, too, says that the turn is over. */
export const CONFIRMED_END_LAG_MS = 5_000;
/** How long an asked permission may stay undrawn before the screen is believed that no dialog is open. */
export const DIALOG_LAG_MS = 2_000;
/** An interrupt fires no hook. Without a registry record the idle prompt must stand this long after the last hook. */
export const SILENT_END_MS = 600;
/** A prompt that the hook announced and the screen never worked on (blocked by another hook of the user's). */
export const NEVER_BEGAN_MS = 3_000;
/** A screen that shows nothing new for so long after another source has moved on is not recorded any more. */
export const STALE_SCREEN_MS = 3_000;
/** A reading that began this long after a hook is news, not the picture from before. */
export const NEWS_MS = 150;
/** The registry is written 10 to 140 ms after the event, so a record this much older may still speak of the same event. */
export const REGISTRY_LAG_MS = 200;
