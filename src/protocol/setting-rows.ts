import { MACHINE_LABEL_PATTERN } from './machine-words.ts';
import { SESSION_TYPES } from './names.ts';
import { LARGEST_PORT } from './port-range.ts';
import type { SettingSpec } from './setting-forms.ts';

const SHORTEST_TOKEN = 16;
/** A quarter of a year. Older work can be found in the repository. */
const DEFAULT_KEEP_DAYS = 90;
/** A threshold of the status, in milliseconds. Nobody needs to wait longer than a minute for a status. */
const THRESHOLD = {
  form: 'integer',
  min: 0,
  max: 60_000,
  noEnvironment: 'it is tuned once for a machine, not for one start of the server',
} as const;

/** All settings. To add one, add a row: its type, its checks, `cbos config` and docs/SETTINGS.md come from the row. */
export const SETTINGS = {
  home: {
    form: 'path',
    default: '~/.cbos',
    noKey: 'CBOS needs it to find the file',
    about: 'directory for the database, the token and the hooks',
  },
  // The API can type into terminals, so only this machine can reach it unless someone configures it otherwise.
  host: { form: 'text', default: '127.0.0.1', about: 'address the server listens on' },
  port: { form: 'integer', min: 0, max: LARGEST_PORT, default: 32_205, about: 'port the server listens on' },
  allow_remote: {
    form: 'boolean',
    default: false,
    about: 'let the server listen on an address that other machines can reach',
  },
  public_url: { form: 'url', default: null, about: "the server's address behind an HTTPS proxy" },
  allowed_hosts: {
    form: 'list',
    default: [],
    about: 'other host names under which a browser may reach the server',
  },
  /** null to use the token in `$CBOS_HOME/token` */
  token: { form: 'text', minLength: SHORTEST_TOKEN, default: null, about: 'API token; generated once if not set' },
  socket: { form: 'path', default: (home) => `${home}/cbos.sock`, about: 'local socket for the command line' },
  default_type: { form: 'word', words: SESSION_TYPES, default: null, about: 'default type of new sessions' },
  stream_dir: {
    form: 'path',
    default: '~/claude_streams',
    environment: 'CBOS_STREAM_STREAM_DIR',
    about: 'directory for the recordings',
  },
  stream_flush: {
    form: 'boolean',
    default: true,
    environment: 'CBOS_STREAM_STREAM_FLUSH',
    about: 'flush the recording after every write',
  },
  max_buffer_size: {
    form: 'integer',
    min: 1_000,
    max: 100_000_000,
    // About a thousand full lines, which is as much as a newly connected client wants to see.
    default: 100_000,
    environment: 'CBOS_STREAM_MAX_BUFFER_SIZE',
    about: 'maximum number of bytes that get_buffer returns at once',
  },
  max_recording_size: {
    form: 'integer',
    min: 20_000_000,
    // Enough for months of a busy session. An hour of output takes about 1 MB when packed.
    default: 1_000_000_000,
    environment: 'CBOS_STREAM_MAX_RECORDING_SIZE',
    about: "maximum disk space for one session's recording, in bytes; the oldest part is dropped first",
  },
  max_total_size: {
    form: 'integer',
    min: 100_000_000,
    // A size that a laptop's disk can spare.
    default: 20_000_000_000,
    environment: 'CBOS_STREAM_MAX_TOTAL_SIZE',
    about: 'maximum disk space for all recordings, in bytes; recordings of ended sessions are dropped first',
  },
  keep_days: {
    form: 'integer',
    min: 1,
    default: DEFAULT_KEEP_DAYS,
    environment: 'CBOS_STREAM_KEEP_DAYS',
    about: 'number of days after which CBOS deletes a recording that it made and that belongs to no listed session',
  },
  max_file_size: {
    form: 'integer',
    min: 1_000,
    // Covers photos taken with a phone, which are 3 to 8 MB. Claude Code itself shrinks images, and reads no PDF larger
    // than 32 MB.
    default: 25_000_000,
    about: 'maximum size of a file that is sent into a session, in bytes',
  },
  keep_files_days: {
    form: 'integer',
    min: 1,
    default: DEFAULT_KEEP_DAYS,
    about: 'number of days after which the files of a stopped session are removed; `cbos rm` removes them immediately',
  },
  claude_command: { form: 'command', default: 'claude', about: 'the command that starts Claude Code' },
  claude_alternate_screen: { form: 'boolean', default: false, about: 'let Claude Code use the alternate screen' },
  status_line_tap: {
    form: 'word',
    words: ['own', 'always', 'never'],
    // Any status line takes a row of the screen away from Claude Code and hides the hint `? for shortcuts` (2.1.330).
    default: 'own',
    about:
      'which sessions in a terminal report context, cost and model: own (if you have your own status line), always or never',
  },
  stuck_threshold_ms: {
    form: 'integer',
    min: 1_000,
    // Claude Code's spinner moves several times a second, so 15 s without any change is not a normal pause.
    default: 15_000,
    about: 'how long an active session may show no sign of life before it counts as stuck',
  },
  status_spinner_settle_ms: {
    ...THRESHOLD,
    // A spinner may turn although no turn is running. It turns for up to 230 ms before the request is sent. It also
    // turns for 100 to 300 ms when a command is answered without a request, or when a refused tool is removed from the
    // screen (1.0.128 to 2.1.329).
    default: 250,
    key: 'status.spinner_settle_ms',
    about: 'without hooks: how long a spinner must spin before a turn counts as running',
  },
  status_prompt_settle_ms: {
    ...THRESHOLD,
    // Claude Code redraws the screen in several writes, so an idle prompt may appear for a moment during a turn.
    default: 200,
    key: 'status.prompt_settle_ms',
    about: 'without hooks: how long the prompt must be visible before a turn counts as over',
  },
  status_silent_end_ms: {
    ...THRESHOLD,
    // An interrupt fires no hook. Any hook that does fire arrives sooner than this.
    default: 600,
    key: 'status.silent_end_ms',
    about: 'how long the prompt must be visible before a turn counts as over if no hook reports its end, as after Esc',
  },
  status_draw_lag_ms: {
    ...THRESHOLD,
    // Claude Code 2.1.329 draws an event 10 to 150 ms after its hook. One second is enough even for a loaded machine.
    default: 1_000,
    key: 'status.draw_lag_ms',
    about: 'how long the screen may lag behind the hooks before CBOS believes the screen instead',
  },
  status_stale_screen_ms: {
    ...THRESHOLD,
    // When the disk is full, a recording stops without an error. A screen that merely lags behind shows something
    // within three seconds.
    default: 3_000,
    key: 'status.stale_screen_ms',
    about: 'how long a screen may stay unchanged before CBOS believes hooks and registry instead',
  },
  json_idle_timeout: {
    form: 'integer',
    min: 1,
    // An idle Claude Code uses 250 MB, and starting it again takes a second. Five minutes cover the time that a user
    // spends thinking between two prompts.
    default: 300,
    key: 'json.idle_timeout',
    about: "number of seconds without activity after which a JSON session's process is ended until the next prompt",
  },
  parking_after: {
    form: 'integer',
    min: 0,
    default: 0,
    key: 'parking.after',
    about:
      'number of seconds without activity after which a session in a terminal is parked until its next prompt; 0 means never',
  },
  restore_at_start: {
    form: 'boolean',
    default: false,
    key: 'restore.at_start',
    about: 'let the server bring back lost sessions when it starts, for example after a reboot',
  },
  limits_then: {
    form: 'word',
    words: ['native', 'resume', 'ask', 'never'],
    default: 'native',
    key: 'limits.then',
    about:
      'what to do when a usage limit ends: native leaves that to Claude Code, resume continues each session once, ask asks you first, never does nothing',
  },
  limits_floor: {
    form: 'integer',
    min: 0,
    max: 99,
    default: 0,
    key: 'limits.floor',
    about:
      'for limits.then = "resume": the percentage of every other limit that must be left to continue a session; below it, CBOS asks you. 0 turns the check off',
  },
  machine_labels: {
    form: 'list',
    items: { pattern: MACHINE_LABEL_PATTERN, fault: 'must be labels such as gpu or x86-64' },
    default: [],
    key: 'fleet.labels',
    about: 'what this machine has, for `cbos new --host any --label gpu` on the other machines in the fleet',
  },
  fleet_ssh: {
    form: 'list',
    minLength: 1,
    default: ['ssh'],
    key: 'fleet.ssh',
    about:
      'the ssh program and options for it, with which `cbos fleet add` reaches other machines and keeps tunnels open: ssh, or ssh,-F,/path/to/config',
  },
  worktree_ports: {
    form: 'ports',
    // Below the ports that Linux assigns automatically (32768 and up), and without those that development servers
    // commonly use. A thousand ports are more than the sessions of one machine need.
    default: '28000-28999',
    noEnvironment: "its name would look like that of CBOS_WORKTREE_PORT, which contains a worktree's port",
    key: 'worktrees.ports',
    about: 'the ports that worktrees get, one each, as CBOS_WORKTREE_PORT',
  },
  turn_checkpoints: {
    form: 'boolean',
    default: false,
    key: 'turns.checkpoints',
    about:
      'save the files of each turn of sessions in a git repository, for `cbos turns`, `cbos tree`, `cbos rewind` and replays',
  },
  turns_kept: {
    form: 'integer',
    min: 1,
    max: 10_000,
    // A turn that changes ten files takes about 50 kB in the repository before `git gc`, so this costs a few megabytes
    // per session.
    default: 100,
    key: 'turns.kept',
    about: 'number of turns kept per session; each further turn drops the oldest',
  },
  on_waiting: {
    form: 'text',
    default: null,
    noEnvironment: 'a shell command with quotes of its own is easier to write in the file',
    about: 'command to run when a session starts waiting for you',
  },
  sessions_may: {
    form: 'word',
    words: ['read', 'send', 'everything'],
    // A session may send prompts to another session, but only a user may answer questions that are meant for the user.
    default: 'send',
    noEnvironment: 'a process inside a session could then grant itself the right',
    about: 'what a process inside a session may do to all sessions: read, send, or everything that you may do',
  },
  /** null to use Screen's default directory */
  screen_dir: {
    form: 'path',
    default: null,
    environment: 'SCREENDIR',
    noKey: "the variable is Screen's own",
    about: "GNU Screen's socket directory",
  },
} as const satisfies Readonly<Record<string, SettingSpec>>;
