import { z } from 'zod';

/** How the command line ends for an error. */
export const EXIT = { done: 0, failed: 1, usage: 2, noSuchSession: 3, refused: 4, noServer: 5, timedOut: 6 } as const;

interface CatalogueEntry {
  /** HTTP status */
  status: number;
  /** exit code of the command line */
  exit: number;
  /** what it means, for the OpenAPI description and the docs */
  meaning: string;
  /** the cure, when the thrower knows no better one */
  hint: string;
}

/** Every error that can be expected. A test holds docs/ERRORS.md, the OpenAPI description and this table together. */
export const ERRORS = {
  invalid_request: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'The request does not fit its schema',
    hint: 'GET /openapi.json describes every request',
  },
  unauthorized: {
    status: 401,
    exit: EXIT.failed,
    meaning: 'No valid token came with the request',
    hint: 'Send "Authorization: Bearer TOKEN"; `cbos token` prints the token',
  },
  unproven_server: {
    status: 502,
    exit: EXIT.noServer,
    meaning: 'What answers at this address could not prove that it is the server this browser signed in to',
    hint: 'Another program may have taken the port, or the token was changed: `cbos open` signs in again, `cbos doctor` looks',
  },
  link_expired: {
    status: 410,
    exit: EXIT.failed,
    meaning: 'The sign-in link was used already, or is too old',
    hint: 'Each link signs in once, within ten minutes: `cbos open` makes a new one',
  },
  too_many_attempts: {
    status: 429,
    exit: EXIT.failed,
    meaning: 'Too many wrong tokens came from this address',
    hint: 'Wait a minute; `cbos open` signs a browser in without a token, and the command line needs none',
  },
  forbidden_host: {
    status: 403,
    exit: EXIT.failed,
    meaning: "The Host header isn't a name of this server",
    hint: 'Use 127.0.0.1 or localhost, or add the name to CBOS_ALLOWED_HOSTS',
  },
  forbidden_origin: {
    status: 403,
    exit: EXIT.failed,
    meaning: 'The request comes from a foreign page',
    hint: 'Only pages that this server serves may call it',
  },
  inside_session: {
    status: 403,
    exit: EXIT.refused,
    meaning: 'It was asked from inside a session, where processes may read and send only',
    hint: 'Do it outside of sessions; `sessions_may = "everything"` in config.toml gives them all rights',
  },
  no_such_route: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'There is nothing at this address',
    hint: 'GET /openapi.json lists what there is',
  },
  method_not_allowed: {
    status: 405,
    exit: EXIT.failed,
    meaning: 'The address exists, but not for this method',
    hint: 'GET /openapi.json lists what there is',
  },
  payload_too_large: {
    status: 413,
    exit: EXIT.failed,
    meaning: 'The request body is too large',
    hint: 'Send less at once; the limit is 4 MiB',
  },
  range_not_satisfiable: {
    status: 416,
    exit: EXIT.failed,
    meaning: 'The recording ends before the offset asked for',
    hint: 'Ask for an offset within the recording',
  },
  internal: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'A fault of CBOS itself',
    hint: 'The log in the home directory has the details',
  },
  disk_full: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'There is no room on the disk of the home: what was asked for could not be written down, and was not done',
    hint: 'Free some space and try again; `cbos doctor` says where',
  },
  process_limit: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The system lets no further process start',
    hint: 'Raise the limit (`ulimit -u`, TasksMax of the service, pids.max of a container), or end what is not needed',
  },
  home_read_only: {
    status: 507,
    exit: EXIT.failed,
    meaning: 'The file system of the home is read-only: what was asked for could not be written down, and was not done',
    hint: 'Make it writable again (mount -o remount,rw, or fsck where it had errors); sessions run on meanwhile',
  },
  database_damaged: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The database of the home, cbos.db, is damaged',
    hint: '`cbos doctor` says what is wrong with it, and what to do',
  },
  home_gone: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The home of the server was removed or moved while it ran, so it has ended; sessions live on',
    hint: '`cbos up` begins a new home in its place, which lists the sessions that run in Screen again',
  },
  version_mismatch: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'Client and server are of different versions',
    hint: 'cbos down && cbos up',
  },

  no_such_session: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'No session has this name',
    hint: '`cbos ls` lists the sessions',
  },
  invalid_slug: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'This cannot be the name of a session',
    hint: 'Use 1 to 64 letters, digits, "-" and "_", a letter or digit first; status, waiting and adopt are reserved',
  },
  slug_taken: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'A session of this name is listed already',
    hint: 'Choose another name, or delete the old session with `cbos rm`',
  },
  no_such_path: {
    status: 422,
    exit: EXIT.usage,
    meaning: "The path isn't a directory",
    hint: 'Name a directory that exists',
  },
  path_too_long: {
    status: 422,
    exit: EXIT.usage,
    meaning: "Screen's socket path would be longer than the system allows",
    hint: 'Use a shorter name or a shorter SCREENDIR',
  },
  no_such_conversation: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'Claude Code has written down no such conversation',
    hint: '`cbos ls --all` lists them',
  },
  no_such_screen: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'Screen has no such session',
    hint: '`screen -ls` lists them; name it as PID.NAME',
  },
  no_such_window: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'Screen has the session, but no window of it runs this program',
    hint: '`cbos attach SLUG` shows what runs there',
  },
  screen_prompt_open: {
    status: 409,
    exit: EXIT.refused,
    meaning:
      "A person has Screen's copy mode or one of its prompts open in the session's window: it would take the keys",
    hint: 'Press Esc there (`cbos attach SLUG`)',
  },
  already_adopted: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'CBOS owns this Screen session already',
    hint: '`cbos ls` shows it',
  },
  other_home: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session belongs to another home of CBOS',
    hint: 'Use it there: the message names that home',
  },
  not_adopted: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session was started by something else and is only observed',
    hint: '`cbos adopt SCREEN_ID` takes it over',
  },
  claude_not_found: {
    status: 422,
    exit: EXIT.failed,
    meaning: "Claude Code's command was not found",
    hint: 'Install it (npm install -g @anthropic-ai/claude-code) or set CBOS_CLAUDE_COMMAND',
  },
  screen_not_found: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'GNU Screen is not installed',
    hint: 'sudo apt-get install screen',
  },
  screen_unresponsive: {
    status: 503,
    exit: EXIT.failed,
    meaning: "Screen's daemon of this session does not answer",
    hint: '`cbos doctor` says which; continue or kill that daemon',
  },
  screen_unreachable: {
    status: 503,
    exit: EXIT.failed,
    meaning: "Screen's socket of this session is gone, though its daemon lives",
    hint: '`cbos doctor` says what keeps it from being made again',
  },
  launch_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The session did not start',
    hint: '`cbos doctor` checks everything a session needs',
  },
  screen_attached: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'A person is attached, and the size is theirs',
    hint: 'Detach them first',
  },
  session_dead: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session is stopped',
    hint: '`cbos restart SLUG` goes on with its conversation',
  },
  session_alive: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session runs',
    hint: '`cbos stop SLUG` stops it first',
  },
  kill_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'Processes of the session could not be ended',
    hint: 'They belong to another user or hang in the kernel; the message names them',
  },
  no_events: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session runs in a terminal and has no events',
    hint: '`cbos convert SLUG json` makes it a JSON session',
  },
  no_terminal: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session has no terminal: it is a JSON session',
    hint: '`cbos send` and `cbos answer` talk to it; `cbos attach SLUG` opens it in a terminal',
  },
  no_response: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'The session has not answered anything yet',
    hint: '`cbos invoke SLUG PROMPT` runs a turn',
  },
  budget_reached: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The session has cost what it may cost at most',
    hint: 'A new session with a higher --max-budget-usd can go on from it (cbos adopt --resume)',
  },
  already_running: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'A turn is running',
    hint: '`cbos wait SLUG` waits for its end; `cbos send` lets Claude Code queue the text',
  },
  session_in_use: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Another Claude Code has the conversation open; two of them would corrupt it',
    hint: 'End that one first; the message names its process',
  },
  undrawable: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'A part of the recording takes too long to be drawn',
    hint: '`cbos logs SLUG --raw` has its bytes; `cbos restart SLUG` begins another recording',
  },
  no_recording: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'The session has no recording',
    hint: '`cbos adopt` starts one for a session that something else started',
  },

  untrusted_folder: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Nobody has said that the folder is trusted; Claude Code would run what its own settings name',
    hint: 'Answer the question of the session: `cbos answer SLUG yes` trusts the folder',
  },
  not_accepting_text: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The prompt takes no text now',
    hint: 'Answer the open question first, or use force',
  },
  command_prefix: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The text would run a shell command or a slash command',
    hint: 'Say that it is meant as a command (--command)',
  },
  idempotency_conflict: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The idempotency key was used with another text',
    hint: 'Use a new key for a new text',
  },
  no_question: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'No question is open',
    hint: '`cbos show SLUG` says what the session does',
  },
  stale_question: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'Another question is open by now',
    hint: 'Look at the new question first',
  },
  no_such_option: {
    status: 422,
    exit: EXIT.refused,
    meaning: 'The open question has no such option',
    hint: '`cbos show SLUG` lists the options',
  },
  not_shown_whole: {
    status: 409,
    exit: EXIT.refused,
    meaning:
      'What is asked for is longer than CBOS shows, so it can be refused from here, and allowed in the terminal alone',
    hint: '`cbos attach SLUG` opens its terminal, which takes the answer; `cbos answer SLUG no` refuses it',
  },
  nothing_running: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'No turn is running',
    hint: '`cbos show SLUG` says what the session does',
  },
  not_confirmed: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'The keys were typed, but Claude Code gave no sign that it took them',
    hint: '`cbos attach SLUG` shows what happened; nothing was typed twice',
  },
  no_such_delivery: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'The session has no such delivery',
    hint: 'GET /sessions/{slug}/deliveries lists them',
  },
  delivery_final: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'CBOS does not hold this delivery any more',
    hint: 'Only queued deliveries can be changed or cancelled',
  },
  search_unavailable: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'The search index cannot be read',
    hint: 'Look at server.log in the home; the index is made anew when search.db is deleted and the server restarted',
  },
  no_such_stash: {
    status: 404,
    exit: EXIT.failed,
    meaning: 'No draft has this id',
    hint: '`cbos draft` lists them',
  },
  already_applied: {
    status: 409,
    exit: EXIT.refused,
    meaning: 'The draft was sent already; each is sent once at most',
    hint: '`cbos send` sends the text again',
  },

  no_server: { status: 503, exit: EXIT.noServer, meaning: 'CBOS is not running', hint: 'Start it: cbos up' },
  server_running: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'CBOS is running already',
    hint: '`cbos down` stops it',
  },
  port_taken: {
    status: 409,
    exit: EXIT.failed,
    meaning: 'Something else listens on the port',
    hint: 'Choose another: CBOS_PORT=…',
  },
  no_systemd: {
    status: 503,
    exit: EXIT.failed,
    meaning: 'systemd manages no services for this user here',
    hint: '`cbos up` runs the server without it; in WSL, systemd=true under [boot] in /etc/wsl.conf brings it',
  },
  invalid_setting: {
    status: 422,
    exit: EXIT.usage,
    meaning: 'A setting has a value that it cannot have',
    hint: 'Change or remove the setting that is named',
  },
  timed_out: {
    status: 504,
    exit: EXIT.timedOut,
    meaning: 'It did not happen in the time given',
    hint: 'Give it more time with --timeout',
  },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof ERRORS;

/** The error object of REST bodies and WebSocket results. */
export const ErrorBody = z
  .looseObject({ code: z.string(), message: z.string(), hint: z.string() })
  .meta({ id: 'Error', description: '`not_accepting_text` carries the open question as `question`' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ErrorResponse = z.object({ error: ErrorBody }).meta({ id: 'ErrorResponse' });

/** An error that was expected: one of the catalogue, with what happened and the cure. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly code: ErrorCode;
  readonly hint: string;
  /** further fields of the error object, e.g. the open question */
  readonly extra: Readonly<Record<string, unknown>>;

  /**
   * @param message what happened, one line, without a full stop; the catalogue's meaning when left out
   * @param options.hint the cure, when it is more precise than the catalogue's
   */
  constructor(
    code: ErrorCode,
    message?: string,
    options: { hint?: string; cause?: unknown; extra?: Record<string, unknown> } = {},
  ) {
    super(message ?? ERRORS[code].meaning, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? ERRORS[code].hint;
    this.extra = options.extra ?? {};
  }

  /** The shape on the wire. */
  toBody(): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint, ...this.extra };
  }
}
