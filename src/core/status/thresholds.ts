import { SETTINGS, type SettingName, type Settings } from '../../protocol/index.ts';
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

type ThresholdName = 'stuck_threshold_ms' | Extract<SettingName, `status_${string}_ms`>;

const thresholdsBy = (msOf: (name: ThresholdName) => Millis): Thresholds => ({
  stuckMs: msOf('stuck_threshold_ms'),
  spinnerSettleMs: msOf('status_spinner_settle_ms'),
  promptSettleMs: msOf('status_prompt_settle_ms'),
  silentEndMs: msOf('status_silent_end_ms'),
  drawLagMs: msOf('status_draw_lag_ms'),
  staleScreenMs: msOf('status_stale_screen_ms'),
});

export const DEFAULT_THRESHOLDS: Thresholds = thresholdsBy((name) => SETTINGS[name].default);

/** Returns the thresholds that the settings define. */
export const thresholdsOf = (settings: Settings): Thresholds => thresholdsBy((name) => settings[name]);
