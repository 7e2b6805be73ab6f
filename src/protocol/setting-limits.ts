/** The rights that a process inside a session can have over other sessions. */
export const SESSIONS_MAY = ['read', 'send', 'everything'] as const;

/** Which sessions get the status-line tap: those whose user has configured a status line, all sessions, or none. */
export const STATUS_LINE_TAPS = ['own', 'always', 'never'] as const;

/** What happens to a session after the usage limit that stopped it has reset. */
export const LIMITS_THEN = ['native', 'resume', 'ask', 'never'] as const;

/** What happens if the set-up of a worktree fails: Claude Code either does not start or starts anyway. */
export const AFTER_FAILURE = ['stop', 'start'] as const;
export type AfterFailure = (typeof AFTER_FAILURE)[number];

export const SHORTEST_TOKEN = 16;

const PORT_RANGE = /^(\d{1,5})-(\d{1,5})$/;
const LARGEST_PORT = 65_535;

/** The first and last port that can be assigned to worktrees. */
export interface PortRange {
  first: number;
  last: number;
}

/** Reads `FIRST-LAST`. Returns null if the text is not a range, or if the range is empty. */
export function parsePortRange(text: string): PortRange | null {
  const [, first = 0, last = 0] = PORT_RANGE.exec(text)?.map(Number) ?? [];
  return first >= 1 && first <= last && last <= LARGEST_PORT ? { first, last } : null;
}

/** The minimum and maximum of each integer setting. */
export const SETTING_LIMITS = {
  port: { min: 0, max: LARGEST_PORT },
  max_buffer_size: { min: 1_000, max: 100_000_000 },
  max_recording_size: { min: 20_000_000 },
  max_total_size: { min: 100_000_000 },
  keep_days: { min: 1 },
  max_file_size: { min: 1_000 },
  keep_files_days: { min: 1 },
  stuck_threshold_ms: { min: 1_000 },
  status_spinner_settle_ms: { min: 0, max: 60_000 },
  status_prompt_settle_ms: { min: 0, max: 60_000 },
  status_silent_end_ms: { min: 0, max: 60_000 },
  status_draw_lag_ms: { min: 0, max: 60_000 },
  status_stale_screen_ms: { min: 0, max: 60_000 },
  json_idle_timeout: { min: 1 },
  parking_after: { min: 0 },
  limits_floor: { min: 0, max: 99 },
  turns_kept: { min: 1, max: 10_000 },
} as const;
