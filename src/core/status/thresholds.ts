import type { Millis } from './millis.ts';

/**
 * For how long something must hold before it counts. Each can be set in config.toml; what nobody could judge better
 * than a measurement is in `races.ts`.
 */
export interface Thresholds {
  /** an active session without a sign of life for this long is stuck */
  stuckMs: Millis;
  /** where no hook speaks: how long a spinner must turn before a turn runs */
  spinnerSettleMs: Millis;
  /** where no hook speaks: how long the prompt must be there before the turn is over */
  promptSettleMs: Millis;
  /** how long the prompt must be there before a turn is over that no hook ended */
  silentEndMs: Millis;
  /** how far the screen may be behind the hooks */
  drawLagMs: Millis;
  /** how long the screen may show nothing new after another source has moved on, before it is not believed any more */
  staleScreenMs: Millis;
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  // Claude Code's spinner moves several times a second; 15 s of nothing is no pause for breath.
  stuckMs: 15_000,
  // A spinner turns before there is anything to wait for: up to 230 ms before the request leaves, and for 100 to 300 ms
  // where a command is answered without one or a refused tool is put away (1.0.128 to 2.1.329).
  spinnerSettleMs: 250,
  // Redraws come in several writes: an idle prompt is there for a moment while a turn goes on.
  promptSettleMs: 200,
  // An interrupt fires no hook; a hook that is under way comes in less.
  silentEndMs: 600,
  // 2.1.329 draws 10 to 150 ms after the hook of the same event; a second covers a loaded machine.
  drawLagMs: 1_000,
  // A full disk ends a recording without a word; a screen that is only late shows something within three seconds.
  staleScreenMs: 3_000,
};
