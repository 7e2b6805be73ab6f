import type { SettingName } from './settings.ts';

export interface SettingRow {
  name: SettingName;
  /** the environment variable; null if there is none */
  environment: string | null;
  /** the key in config.toml, prefixed with its table and a dot; null if the file cannot contain the setting */
  file: string | null;
  /** the effect of the setting, in one line */
  about: string;
}

/**
 * Where each setting can be set. `home` cannot be in the file, because it is needed to find the file. SCREENDIR belongs
 * to Screen, so it can be set only in the environment.
 */
export const SETTING_ROWS: readonly SettingRow[] = [
  { name: 'home', environment: 'CBOS_HOME', file: null, about: 'directory of the database, the token and the hooks' },
  { name: 'host', environment: 'CBOS_HOST', file: 'host', about: 'address the server listens on' },
  { name: 'port', environment: 'CBOS_PORT', file: 'port', about: 'port the server listens on' },
  {
    name: 'allow_remote',
    environment: 'CBOS_ALLOW_REMOTE',
    file: 'allow_remote',
    about: 'let the server listen on an address that other machines reach',
  },
  { name: 'public_url', environment: 'CBOS_PUBLIC_URL', file: 'public_url', about: 'address behind an HTTPS proxy' },
  {
    name: 'allowed_hosts',
    environment: 'CBOS_ALLOWED_HOSTS',
    file: 'allowed_hosts',
    about: 'other names by which a browser may call the server',
  },
  { name: 'token', environment: 'CBOS_TOKEN', file: 'token', about: 'token of the API; generated once if not set' },
  { name: 'socket', environment: 'CBOS_SOCKET', file: 'socket', about: 'local socket of the command line' },
  { name: 'default_type', environment: 'CBOS_DEFAULT_TYPE', file: 'default_type', about: 'type of a new session' },
  {
    name: 'stream_dir',
    environment: 'CBOS_STREAM_STREAM_DIR',
    file: 'stream_dir',
    about: 'directory of the recordings',
  },
  {
    name: 'stream_flush',
    environment: 'CBOS_STREAM_STREAM_FLUSH',
    file: 'stream_flush',
    about: 'flush the recording at every write',
  },
  {
    name: 'max_buffer_size',
    environment: 'CBOS_STREAM_MAX_BUFFER_SIZE',
    file: 'max_buffer_size',
    about: 'most bytes in one answer of get_buffer',
  },
  {
    name: 'max_recording_size',
    environment: 'CBOS_STREAM_MAX_RECORDING_SIZE',
    file: 'max_recording_size',
    about: 'most bytes of disk for the recording of one session; its oldest part is dropped first',
  },
  {
    name: 'max_total_size',
    environment: 'CBOS_STREAM_MAX_TOTAL_SIZE',
    file: 'max_total_size',
    about: 'most bytes of disk for all recordings; those of ended sessions are dropped first',
  },
  {
    name: 'keep_days',
    environment: 'CBOS_STREAM_KEEP_DAYS',
    file: 'keep_days',
    about: 'days after which CBOS removes its own recordings that belong to no listed session',
  },
  {
    name: 'max_file_size',
    environment: 'CBOS_MAX_FILE_SIZE',
    file: 'max_file_size',
    about: 'most bytes of one file that is sent into a session',
  },
  {
    name: 'keep_files_days',
    environment: 'CBOS_KEEP_FILES_DAYS',
    file: 'keep_files_days',
    about: 'days after which the files of a stopped session are removed; `cbos rm` removes them at once',
  },
  {
    name: 'claude_command',
    environment: 'CBOS_CLAUDE_COMMAND',
    file: 'claude_command',
    about: "Claude Code's command",
  },
  {
    name: 'claude_alternate_screen',
    environment: 'CBOS_CLAUDE_ALTERNATE_SCREEN',
    file: 'claude_alternate_screen',
    about: 'let Claude Code use the alternate screen',
  },
  {
    name: 'status_line_tap',
    environment: 'CBOS_STATUS_LINE_TAP',
    file: 'status_line_tap',
    about:
      'which sessions in a terminal report context, cost and model: own (those whose user has a status line), always, never',
  },
  {
    name: 'stuck_threshold_ms',
    environment: 'CBOS_STUCK_THRESHOLD_MS',
    file: 'stuck_threshold_ms',
    about: 'how long an active session may give no sign of life before it counts as stuck',
  },
  {
    name: 'status_spinner_settle_ms',
    environment: null,
    file: 'status.spinner_settle_ms',
    about: 'without hooks: how long a spinner must turn before a turn counts as running',
  },
  {
    name: 'status_prompt_settle_ms',
    environment: null,
    file: 'status.prompt_settle_ms',
    about: 'without hooks: how long the prompt must be up before a turn counts as over',
  },
  {
    name: 'status_silent_end_ms',
    environment: null,
    file: 'status.silent_end_ms',
    about: 'how long the prompt must be up before a turn without an end hook counts as over, as after Esc',
  },
  {
    name: 'status_draw_lag_ms',
    environment: null,
    file: 'status.draw_lag_ms',
    about: 'how far the screen may lag behind the hooks before CBOS believes the screen instead',
  },
  {
    name: 'status_stale_screen_ms',
    environment: null,
    file: 'status.stale_screen_ms',
    about: 'how long a screen may stay unchanged before CBOS believes hooks and registry instead',
  },
  {
    name: 'json_idle_timeout',
    environment: 'CBOS_JSON_IDLE_TIMEOUT',
    file: 'json.idle_timeout',
    about: 'how many seconds a JSON session may be inactive before its process is ended until the next prompt',
  },
  {
    name: 'parking_after',
    environment: 'CBOS_PARKING_AFTER',
    file: 'parking.after',
    about: 'how many seconds a session in a terminal may be inactive before it is parked until its next text; 0: never',
  },
  {
    name: 'restore_at_start',
    environment: 'CBOS_RESTORE_AT_START',
    file: 'restore.at_start',
    about: 'let the server bring back lost sessions when it starts, for example after a reboot',
  },
  {
    name: 'limits_then',
    environment: 'CBOS_LIMITS_THEN',
    file: 'limits.then',
    about:
      'what happens after a usage limit: native leaves it to Claude Code, resume continues each session once, ask asks you, never does nothing',
  },
  {
    name: 'limits_floor',
    environment: 'CBOS_LIMITS_FLOOR',
    file: 'limits.floor',
    about:
      'percent of another limit that must be left for limits.then = "resume" to continue a session; below that it asks you; 0: none',
  },
  {
    name: 'turn_checkpoints',
    environment: 'CBOS_TURN_CHECKPOINTS',
    file: 'turns.checkpoints',
    about: 'save the files of each turn of sessions in a git repository, for `cbos turns` and `cbos rewind`',
  },
  {
    name: 'turns_kept',
    environment: 'CBOS_TURNS_KEPT',
    file: 'turns.kept',
    about: 'how many turns of a session are kept; each further turn drops the oldest',
  },
  { name: 'on_waiting', environment: null, file: 'on_waiting', about: 'command to run when a session starts to wait' },
  // This cannot be set in the environment, because a process inside a session could then grant it to itself.
  {
    name: 'sessions_may',
    environment: null,
    file: 'sessions_may',
    about: 'what a process inside a session may do with all sessions: read, send, or everything that you may do',
  },
  { name: 'screen_dir', environment: 'SCREENDIR', file: null, about: "GNU Screen's socket directory" },
];
