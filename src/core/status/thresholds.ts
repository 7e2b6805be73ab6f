import type { Millis } from './millis.ts';

/**
 * How long something must last before it counts. Each threshold can be set in config.toml. Times that can be determined
 * only by measurement are in `races.ts`.
 */
export interface Thresholds {
  /** how long an active session may go without a sign of life before it counts as stuck */
  stuckMs: Millis;
  /** without hooks: how long a spinner must turn before the session counts as active */
  spinnerSettleMs: Millis;
  /** without hooks: how long the prompt must be visible before the turn counts as over */
  promptSettleMs: Millis;
  /** how long the prompt must be visible before a turn that no hook ended counts as over */
  silentEndMs: Millis;
  /** how far the screen may lag behind the hooks */
  drawLagMs: Millis;
  /**
   * how long the screen may show nothing new after another source has reported a change; after that, CBOS no longer
   * believes the screen
   */
  staleScreenMs: Millis;
}

export const DEFAULT_THRESHOLDS: Thresholds = {
  // Claude Code's spinner moves several times a second, so 15 s without any change is not a normal pause.
  stuckMs: 15_000,
  // A spinner may turn although no turn is running. It turns for up to 230 ms before the request is sent. It also turns
  // for 100 to 300 ms when a command is answered without a request, or when a refused tool is removed from the screen
  // (1.0.128 to 2.1.329).
  spinnerSettleMs: 250,
  // Claude Code redraws the screen in several writes, so an idle prompt may appear for a moment during a turn.
  promptSettleMs: 200,
  // An interrupt fires no hook. Any hook that does fire arrives sooner than this.
  silentEndMs: 600,
  // Claude Code 2.1.329 draws an event 10 to 150 ms after its hook. One second is enough even for a loaded machine.
  drawLagMs: 1_000,
  // When the disk is full, a recording stops without an error. A screen that merely lags behind shows something within
  // three seconds.
  staleScreenMs: 3_000,
};
