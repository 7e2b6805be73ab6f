import { z } from 'zod';
import { MACHINE_LABEL_PATTERN } from './machine-words.ts';
import {
  LIMITS_THEN,
  parsePortRange,
  SESSIONS_MAY,
  SETTING_LIMITS,
  SHORTEST_TOKEN,
  STATUS_LINE_TAPS,
} from './setting-limits.ts';
import { SessionType } from './words.ts';

export const SessionsMay = z.enum(SESSIONS_MAY);
export type SessionsMay = z.infer<typeof SessionsMay>;

export const StatusLineTap = z.enum(STATUS_LINE_TAPS);
export type StatusLineTap = z.infer<typeof StatusLineTap>;

export const LimitsThen = z.enum(LIMITS_THEN);
export type LimitsThen = z.infer<typeof LimitsThen>;

const within = ({ min, max }: { min: number; max?: number }) =>
  max === undefined ? z.int().min(min) : z.int().min(min).max(max);

/** All settings with their resolved values. Paths are absolute. */
export const Settings = z.strictObject({
  home: z.string(),
  host: z.string(),
  port: within(SETTING_LIMITS.port),
  allow_remote: z.boolean(),
  public_url: z.url({ protocol: /^https?$/ }).nullable(),
  allowed_hosts: z.array(z.string()),
  /** the API token, or null to use the token in `$CBOS_HOME/token` */
  token: z.string().min(SHORTEST_TOKEN).nullable(),
  socket: z.string(),
  default_type: SessionType.nullable(),
  stream_dir: z.string(),
  stream_flush: z.boolean(),
  max_buffer_size: within(SETTING_LIMITS.max_buffer_size),
  max_recording_size: within(SETTING_LIMITS.max_recording_size),
  max_total_size: within(SETTING_LIMITS.max_total_size),
  keep_days: within(SETTING_LIMITS.keep_days),
  max_file_size: within(SETTING_LIMITS.max_file_size),
  keep_files_days: within(SETTING_LIMITS.keep_files_days),
  claude_command: z.string().min(1),
  claude_alternate_screen: z.boolean(),
  status_line_tap: StatusLineTap,
  stuck_threshold_ms: within(SETTING_LIMITS.stuck_threshold_ms),
  status_spinner_settle_ms: within(SETTING_LIMITS.status_spinner_settle_ms),
  status_prompt_settle_ms: within(SETTING_LIMITS.status_prompt_settle_ms),
  status_silent_end_ms: within(SETTING_LIMITS.status_silent_end_ms),
  status_draw_lag_ms: within(SETTING_LIMITS.status_draw_lag_ms),
  status_stale_screen_ms: within(SETTING_LIMITS.status_stale_screen_ms),
  /** in seconds */
  json_idle_timeout: within(SETTING_LIMITS.json_idle_timeout),
  /** a time in seconds; 0 means never */
  parking_after: within(SETTING_LIMITS.parking_after),
  restore_at_start: z.boolean(),
  limits_then: LimitsThen,
  /** a percentage; 0 turns the check off */
  limits_floor: within(SETTING_LIMITS.limits_floor),
  machine_labels: z.array(z.string().regex(MACHINE_LABEL_PATTERN, 'must be labels such as gpu or x86-64')),
  fleet_ssh: z.array(z.string()).min(1),
  worktree_ports: z
    .string()
    .refine((text) => parsePortRange(text) !== null, 'must be a range of ports such as 28000-28999'),
  turn_checkpoints: z.boolean(),
  turns_kept: within(SETTING_LIMITS.turns_kept),
  on_waiting: z.string().nullable(),
  sessions_may: SessionsMay,
  /** the directory of Screen's sockets, or null to use Screen's default directory */
  screen_dir: z.string().nullable(),
});
export type Settings = z.infer<typeof Settings>;
export type SettingName = keyof Settings;

export const SettingOrigin = z.enum(['flag', 'environment', 'file', 'default']);
export type SettingOrigin = z.infer<typeof SettingOrigin>;

/** A setting and the origin of its value, as `cbos config --json` prints them. */
export interface ResolvedSetting {
  name: SettingName;
  value: Settings[SettingName];
  origin: SettingOrigin;
}
