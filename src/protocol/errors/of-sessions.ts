import { inConfigFile, settingVariable } from '../settings.ts';
import { type CatalogueEntry, EXIT, NOT_FOUND, REFUSED, UNAVAILABLE, WRONG_USE } from './catalogue-entry.ts';

/** Errors that prevent CBOS from acting on a session. */
export const SESSION_ERRORS = {
  no_such_session: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'No session has this name',
    hint: '`cbos ls` lists the sessions',
  },
  invalid_slug: {
    ...WRONG_USE,
    meaning: "This isn't a valid session name",
    hint: 'Use 1 to 64 letters, digits, "-" and "_", starting with a letter or digit; status, waiting and adopt are reserved',
  },
  no_such_view: {
    ...NOT_FOUND,
    meaning: 'No saved view has this name',
    hint: '`cbos views` lists the saved views',
  },
  time_passed: {
    ...WRONG_USE,
    meaning: 'The snooze would end in the past',
    hint: 'Give a later time, as in `cbos snooze NAME --until 17:00`',
  },
  slug_taken: {
    ...REFUSED,
    meaning: 'A session with this name already exists',
    hint: 'Choose another name, or delete the old session with `cbos rm`',
  },
  no_such_path: {
    ...WRONG_USE,
    meaning: "The path isn't a directory",
    hint: 'Give the path of an existing directory',
  },
  argument_refused: {
    ...WRONG_USE,
    meaning: 'CBOS does not start Claude Code with this argument',
    hint: 'Leave it out; the documentation lists what CBOS does with each argument (Arguments for Claude Code)',
  },
  invalid_settings: {
    ...WRONG_USE,
    meaning: 'Claude Code would ignore these settings, and with them the hooks of CBOS',
    hint: 'Correct the settings after --settings, which must be JSON without comments',
  },
  path_too_long: {
    ...WRONG_USE,
    meaning: "The path of the session's Screen socket would be longer than the system allows",
    hint: `Use a shorter session name, or set ${settingVariable('screen_dir')} to a shorter path`,
  },
  no_such_conversation: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'Claude Code has no such conversation',
    hint: '`cbos ls --all` lists the conversations',
  },
  another_conversation: {
    ...REFUSED,
    meaning: "Claude Code has begun another conversation instead of continuing the session's own",
    hint: 'Check what `claude_command` does with --resume; then `cbos stop SLUG` and `cbos restart SLUG` try again',
  },
  no_such_screen: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: 'Screen has no such session',
    hint: "`screen -ls` lists Screen's sessions; name one as PID.NAME",
  },
  no_such_window: {
    status: 404,
    exit: EXIT.noSuchSession,
    meaning: "Screen has the session, but this program isn't running in any of its windows",
    hint: '`cbos attach SLUG` shows what is running there',
  },
  screen_prompt_open: {
    ...REFUSED,
    meaning:
      "In the session's window, Screen is in copy mode or shows a prompt of its own, so the keys would not reach Claude Code",
    hint: 'Attach with `cbos attach SLUG`, and press Esc',
  },
  already_adopted: {
    ...REFUSED,
    meaning: 'CBOS has already adopted this Screen session',
    hint: '`cbos ls` shows the name under which CBOS lists it',
  },
  other_home: {
    ...REFUSED,
    meaning: 'The session belongs to another CBOS home',
    hint: `Set ${settingVariable('home')} to the home that the message names`,
  },
  not_adopted: {
    ...REFUSED,
    meaning: 'Another program started the session, so CBOS only observes it',
    hint: '`cbos adopt SCREEN_ID` takes it over',
  },
  claude_not_found: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'The command that starts Claude Code was not found',
    hint: `Install Claude Code (\`npm install -g @anthropic-ai/claude-code\`), or set ${settingVariable('claude_command')}`,
  },
  screen_not_found: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'GNU Screen is not installed',
    hint: 'Install it: `sudo apt-get install screen`',
  },
  screen_unresponsive: {
    ...UNAVAILABLE,
    meaning: "This session's Screen daemon does not respond",
    hint: '`cbos doctor` shows the PID of the daemon; resume the daemon with `kill -CONT PID`, or kill it',
  },
  screen_unreachable: {
    ...UNAVAILABLE,
    meaning: "This session's Screen socket no longer exists, although its Screen daemon is running",
    hint: '`cbos doctor` explains why the socket cannot be recreated',
  },
  launch_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: 'The session did not start',
    hint: '`cbos doctor` checks everything that a session needs',
  },
  screen_attached: {
    ...REFUSED,
    meaning: 'Somebody is attached to the session, and the size of their terminal determines its size',
    hint: 'Detach that terminal first (Ctrl-A d)',
  },
  session_dead: {
    ...REFUSED,
    meaning: 'The session is stopped',
    hint: '`cbos restart SLUG` continues its conversation',
  },
  session_parked: {
    ...REFUSED,
    meaning: 'The session is parked, so it has no terminal and no process',
    hint: '`cbos wake SLUG` wakes it',
  },
  not_parkable: {
    ...REFUSED,
    meaning: 'Parking the session now would lose something; `reason` in the error says what',
    hint: '`cbos show SLUG` shows what the session is doing; `cbos stop SLUG` stops it regardless',
  },
  session_alive: {
    ...REFUSED,
    meaning: 'The session is running',
    hint: '`cbos stop SLUG` stops it first',
  },
  kill_failed: {
    status: 500,
    exit: EXIT.failed,
    meaning: "Some of the session's processes could not be terminated",
    hint: 'The processes that the message names belong to another user, or hang in the kernel',
  },
  no_events: {
    ...REFUSED,
    meaning: 'The session runs in a terminal, so it has no events',
    hint: '`cbos convert SLUG json` makes it a JSON session',
  },
  no_costs: {
    ...NOT_FOUND,
    meaning: 'Claude Code has not reported the cost of this session, which runs in a terminal',
    hint: `Claude Code reports costs to a status line. Set ${inConfigFile('status_line_tap', 'always')} to give each session a status line the next time it starts`,
  },
  no_terminal: {
    ...REFUSED,
    meaning: 'The session is a JSON session, so it has no terminal',
    hint: '`cbos send` and `cbos answer` work without a terminal; `cbos attach SLUG` opens the session in a terminal',
  },
  no_response: {
    ...NOT_FOUND,
    meaning: 'The session has not completed a turn yet, so it has no answer',
    hint: '`cbos invoke SLUG PROMPT` runs a turn',
  },
  budget_reached: {
    ...REFUSED,
    meaning: 'The session has used up its budget',
    hint: '`cbos budget raise` raises a budget. To continue a session beyond its own --max-budget-usd, adopt its conversation: `cbos adopt --resume ID`',
  },
  nothing_to_continue: {
    ...REFUSED,
    meaning:
      "There is nothing to continue: the session's last turn was not stopped by a usage limit, the limit is still in effect, or the session has already continued",
    hint: '`cbos show SLUG` shows what the session is doing; `cbos send SLUG TEXT` sends it a prompt',
  },
  already_running: {
    ...REFUSED,
    meaning: 'A turn is running',
    hint: "`cbos wait SLUG` waits until the turn ends; `cbos send SLUG TEXT` puts a prompt into Claude Code's queue",
  },
  session_in_use: {
    ...REFUSED,
    meaning: 'Another Claude Code process has the conversation open, and two processes would corrupt it',
    hint: 'Stop the session or the process that the message names, then try again',
  },
  undrawable: {
    status: 422,
    exit: EXIT.failed,
    meaning: 'Part of the recording takes too long to draw',
    hint: '`cbos logs SLUG --raw` prints the recorded bytes; `cbos restart SLUG` starts a new recording',
  },
  no_recording: {
    ...NOT_FOUND,
    meaning: 'The session has no recording',
    hint: '`cbos adopt` starts a recording for a session that another program started',
  },
} as const satisfies Record<string, CatalogueEntry>;
