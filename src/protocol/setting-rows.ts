import type { SettingName } from './settings.ts';

export interface SettingRow {
  name: SettingName;
  /** the environment variable that sets it, or null if there is none */
  environment: string | null;
  /** the key in config.toml, with its table and a dot in front, or null if the file cannot contain the setting */
  file: string | null;
  /** what the setting does, in one line */
  about: string;
}

/**
 * Where each setting can be set. `home` cannot be set in the file, because CBOS needs it to find the file. SCREENDIR is
 * Screen's own variable, so it can be set only in the environment.
 */
export const SETTING_ROWS: readonly SettingRow[] = [
  { name: 'home', environment: 'CBOS_HOME', file: null, about: 'directory for the database, the token and the hooks' },
  { name: 'host', environment: 'CBOS_HOST', file: 'host', about: 'address the server listens on' },
  { name: 'port', environment: 'CBOS_PORT', file: 'port', about: 'port the server listens on' },
  {
    name: 'allow_remote',
    environment: 'CBOS_ALLOW_REMOTE',
    file: 'allow_remote',
    about: 'let the server listen on an address that other machines can reach',
  },
  {
    name: 'public_url',
    environment: 'CBOS_PUBLIC_URL',
    file: 'public_url',
    about: "the server's address behind an HTTPS proxy",
  },
  {
    name: 'allowed_hosts',
    environment: 'CBOS_ALLOWED_HOSTS',
    file: 'allowed_hosts',
    about: 'other host names under which a browser may reach the server',
  },
  { name: 'token', environment: 'CBOS_TOKEN', file: 'token', about: 'API token; generated once if not set' },
  { name: 'socket', environment: 'CBOS_SOCKET', file: 'socket', about: 'local socket for the command line' },
  {
    name: 'default_type',
    environment: 'CBOS_DEFAULT_TYPE',
    file: 'default_type',
    about: 'default type of new sessions',
  },
  {
    name: 'stream_dir',
    environment: 'CBOS_STREAM_STREAM_DIR',
    file: 'stream_dir',
    about: 'directory for the recordings',
  },
  {
    name: 'stream_flush',
    environment: 'CBOS_STREAM_STREAM_FLUSH',
    file: 'stream_flush',
    about: 'flush the recording after every write',
  },
  {
    name: 'max_buffer_size',
    environment: 'CBOS_STREAM_MAX_BUFFER_SIZE',
    file: 'max_buffer_size',
    about: 'maximum number of bytes that get_buffer returns at once',
  },
  {
    name: 'max_recording_size',
    environment: 'CBOS_STREAM_MAX_RECORDING_SIZE',
    file: 'max_recording_size',
    about: "maximum disk space for one session's recording, in bytes; the oldest part is dropped first",
  },
  {
    name: 'max_total_size',
    environment: 'CBOS_STREAM_MAX_TOTAL_SIZE',
    file: 'max_total_size',
    about: 'maximum disk space for all recordings, in bytes; recordings of ended sessions are dropped first',
  },
  {
    name: 'keep_days',
    environment: 'CBOS_STREAM_KEEP_DAYS',
    file: 'keep_days',
    about: 'number of days after which CBOS deletes a recording that it made and that belongs to no listed session',
  },
  {
    name: 'max_file_size',
    environment: 'CBOS_MAX_FILE_SIZE',
    file: 'max_file_size',
    about: 'maximum size of a file that is sent into a session, in bytes',
  },
  {
    name: 'keep_files_days',
    environment: 'CBOS_KEEP_FILES_DAYS',
    file: 'keep_files_days',
    about: 'number of days after which the files of a stopped session are removed; `cbos rm` removes them immediately',
  },
  {
    name: 'claude_command',
    environment: 'CBOS_CLAUDE_COMMAND',
    file: 'claude_command',
    about: 'the command that starts Claude Code',
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
      'which sessions in a terminal report context, cost and model: own (if you have your own status line), always or never',
  },
  {
    name: 'stuck_threshold_ms',
    environment: 'CBOS_STUCK_THRESHOLD_MS',
    file: 'stuck_threshold_ms',
    about: 'how long an active session may show no sign of life before it counts as stuck',
  },
  {
    name: 'status_spinner_settle_ms',
    environment: null,
    file: 'status.spinner_settle_ms',
    about: 'without hooks: how long a spinner must spin before a turn counts as running',
  },
  {
    name: 'status_prompt_settle_ms',
    environment: null,
    file: 'status.prompt_settle_ms',
    about: 'without hooks: how long the prompt must be visible before a turn counts as over',
  },
  {
    name: 'status_silent_end_ms',
    environment: null,
    file: 'status.silent_end_ms',
    about: 'how long the prompt must be visible before a turn counts as over if no hook reports its end, as after Esc',
  },
  {
    name: 'status_draw_lag_ms',
    environment: null,
    file: 'status.draw_lag_ms',
    about: 'how long the screen may lag behind the hooks before CBOS believes the screen instead',
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
    about: "number of seconds without activity after which a JSON session's process is ended until the next prompt",
  },
  {
    name: 'parking_after',
    environment: 'CBOS_PARKING_AFTER',
    file: 'parking.after',
    about:
      'number of seconds without activity after which a session in a terminal is parked until its next prompt; 0 means never',
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
      'what to do when a usage limit ends: native leaves that to Claude Code, resume continues each session once, ask asks you first, never does nothing',
  },
  {
    name: 'limits_floor',
    environment: 'CBOS_LIMITS_FLOOR',
    file: 'limits.floor',
    about:
      'for limits.then = "resume": the percentage of every other limit that must be left to continue a session; below it, CBOS asks you. 0 turns the check off',
  },
  {
    name: 'machine_labels',
    environment: 'CBOS_MACHINE_LABELS',
    file: 'fleet.labels',
    about: 'what this machine has, for `cbos new --host any --label gpu` on the other machines in the fleet',
  },
  {
    name: 'fleet_ssh',
    environment: 'CBOS_FLEET_SSH',
    file: 'fleet.ssh',
    about:
      'the ssh program and options for it, with which `cbos fleet add` reaches other machines and keeps tunnels open: ssh, or ssh,-F,/path/to/config',
  },
  // There is no environment variable, because its name would look like that of the variable that contains a worktree's
  // port in its sessions' environment.
  {
    name: 'worktree_ports',
    environment: null,
    file: 'worktrees.ports',
    about: 'the ports that worktrees get, one each, as CBOS_WORKTREE_PORT',
  },
  {
    name: 'turn_checkpoints',
    environment: 'CBOS_TURN_CHECKPOINTS',
    file: 'turns.checkpoints',
    about:
      'save the files of each turn of sessions in a git repository, for `cbos turns`, `cbos tree`, `cbos rewind` and replays',
  },
  {
    name: 'turns_kept',
    environment: 'CBOS_TURNS_KEPT',
    file: 'turns.kept',
    about: 'number of turns kept per session; each further turn drops the oldest',
  },
  {
    name: 'on_waiting',
    environment: null,
    file: 'on_waiting',
    about: 'command to run when a session starts waiting for you',
  },
  // This cannot be set in the environment, because a process inside a session could then grant itself the right.
  {
    name: 'sessions_may',
    environment: null,
    file: 'sessions_may',
    about: 'what a process inside a session may do to all sessions: read, send, or everything that you may do',
  },
  { name: 'screen_dir', environment: 'SCREENDIR', file: null, about: "GNU Screen's socket directory" },
];
