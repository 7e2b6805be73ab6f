/**
 * What CBOS does with each argument that a user passes on to Claude Code after `--`.
 *
 * - `passed`: Claude Code gets it unchanged, and nothing that CBOS relies on changes
 * - `followed`: CBOS uses it itself, or learns from Claude Code what came of it
 * - `merged`: Claude Code gets one argument, made from the user's and CBOS's own
 * - refused: it contradicts what CBOS passes, or Claude Code would run where CBOS cannot reach it; the text is the cure
 */
export type Treatment = 'passed' | 'followed' | 'merged' | { refused: string };

export interface ClaudeFlag {
  /** every spelling, as `claude --help` lists them */
  names: readonly string[];
  /** `many`: every word up to the next flag; `maybe`: the next word, unless it is a flag */
  value: 'none' | 'one' | 'maybe' | 'many';
  screen: Treatment;
  json: Treatment;
  /** whether `claude --help` does not list it */
  isHidden?: true;
}

type Rest = Pick<ClaudeFlag, 'value'> & Partial<Pick<ClaudeFlag, 'screen' | 'json' | 'isHidden'>>;

const flag = (names: string, { value, screen = 'passed', json = screen, isHidden }: Rest): ClaudeFlag => ({
  names: names.split(' '),
  value,
  screen,
  json,
  ...(isHidden === undefined ? {} : { isHidden }),
});

const refuse = (cure: string): Treatment => ({ refused: cure });

const ONLY_PRINT = refuse('It needs a session without a terminal: add `--type json`');
const OWN_FORMAT = refuse('CBOS chooses the formats of a JSON session itself: leave it out');
const RUNS_ELSEWHERE = refuse(
  'Claude Code would run outside this session: leave it out, or start `claude` yourself and list it with `cbos adopt`',
);
const NO_HOOKS = refuse(
  'It turns off the hooks through which CBOS follows a session: leave it out, or start `claude` in a Screen session and use `cbos adopt`',
);
const PRINTS_AND_ENDS = refuse('It starts no session: run `claude` itself with it');
const BY_ADOPTION = refuse(
  '`cbos adopt CONVERSATION NAME --type json` continues a conversation, and `cbos fork` copies one',
);
const NOT_KEPT = refuse(
  'CBOS ends an idle JSON session and continues its conversation later, so the conversation must be saved: leave it out',
);
const ALWAYS_ASKS = refuse(
  'CBOS answers the questions of a JSON session: use `--permission-mode dontAsk`, or a rule that denies',
);

/** The flags of Claude Code 2.1.332. A test compares them with the `--help` of the installed version. */
export const CLAUDE_FLAGS: readonly ClaudeFlag[] = [
  flag('--add-dir', { value: 'many' }),
  flag('--agent', { value: 'one' }),
  flag('--agents', { value: 'one' }),
  flag('--allow-dangerously-skip-permissions', { value: 'none' }),
  flag('--allowedTools --allowed-tools', { value: 'many' }),
  flag('--append-system-prompt', { value: 'one' }),
  flag('--append-system-prompt-file', { value: 'one', isHidden: true }),
  flag('--autocompact', { value: 'one' }),
  flag('--ax-screen-reader', {
    value: 'none',
    screen: refuse('CBOS could not read the screen: use a JSON session, `--type json`'),
    json: 'passed',
  }),
  flag('--bg --background', { value: 'none', screen: RUNS_ELSEWHERE }),
  flag('--bare', { value: 'none', screen: NO_HOOKS }),
  flag('--betas', { value: 'many' }),
  flag('--brief', { value: 'none' }),
  flag('--chrome', { value: 'none' }),
  flag('--cloud', { value: 'maybe', screen: RUNS_ELSEWHERE }),
  flag('-c --continue', { value: 'none', screen: 'followed', json: BY_ADOPTION }),
  flag('--dangerously-skip-permissions', { value: 'none' }),
  flag('-d --debug', { value: 'maybe' }),
  flag('--debug-file', { value: 'one' }),
  flag('--desktop', { value: 'none', screen: RUNS_ELSEWHERE }),
  flag('--disable-slash-commands', { value: 'none' }),
  flag('--disallowedTools --disallowed-tools', { value: 'many' }),
  flag('--effort', { value: 'one' }),
  flag('--environment', { value: 'one', screen: RUNS_ELSEWHERE }),
  flag('--exclude-dynamic-system-prompt-sections', { value: 'none' }),
  flag('--fallback-model', { value: 'one' }),
  flag('--file', { value: 'many' }),
  flag('--fork-session', { value: 'none', screen: 'followed', json: BY_ADOPTION }),
  flag('--forward-subagent-text', { value: 'none', screen: ONLY_PRINT, json: 'passed' }),
  flag('--from-pr', { value: 'maybe', screen: 'followed', json: BY_ADOPTION }),
  flag('-h --help', { value: 'none', screen: PRINTS_AND_ENDS }),
  flag('--ide', { value: 'none' }),
  flag('--include-hook-events', { value: 'none', screen: ONLY_PRINT, json: 'passed' }),
  flag('--include-partial-messages', { value: 'none', screen: ONLY_PRINT, json: 'passed' }),
  flag('--init-only', { value: 'none', screen: PRINTS_AND_ENDS, isHidden: true }),
  flag('--input-format', { value: 'one', screen: ONLY_PRINT, json: OWN_FORMAT }),
  flag('--json-schema', { value: 'one', screen: ONLY_PRINT, json: 'passed' }),
  flag('--max-budget-usd', { value: 'one', screen: ONLY_PRINT, json: 'followed' }),
  flag('--max-turns', { value: 'one', screen: ONLY_PRINT, json: 'passed', isHidden: true }),
  flag('--mcp-config', { value: 'many' }),
  flag('--model', { value: 'one', screen: 'followed' }),
  flag('-n --name', { value: 'one' }),
  flag('--no-chrome', { value: 'none' }),
  flag('--no-session-persistence', { value: 'none', screen: ONLY_PRINT, json: NOT_KEPT }),
  flag('--output-format', { value: 'one', screen: ONLY_PRINT, json: OWN_FORMAT }),
  flag('--permission-mode', { value: 'one', screen: 'followed' }),
  flag('--permission-prompt-tool', { value: 'one', screen: ONLY_PRINT, json: ALWAYS_ASKS, isHidden: true }),
  flag('--permission-prompts', { value: 'one', screen: ONLY_PRINT, json: ALWAYS_ASKS }),
  flag('--plugin-dir', { value: 'one' }),
  flag('--plugin-url', { value: 'one' }),
  flag('-p --print', { value: 'none', screen: ONLY_PRINT, json: 'passed' }),
  flag('--prefill', { value: 'one', screen: 'followed', isHidden: true }),
  flag('--prompt-suggestions', { value: 'maybe' }),
  flag('--remote', { value: 'maybe', screen: RUNS_ELSEWHERE, isHidden: true }),
  flag('--remote-control', { value: 'maybe' }),
  flag('--rc', { value: 'maybe', isHidden: true }),
  flag('--remote-control-session-name-prefix', { value: 'one' }),
  flag('--replay-user-messages', { value: 'none', screen: ONLY_PRINT, json: 'passed' }),
  flag('--restricted', { value: 'none' }),
  flag('-r --resume', { value: 'maybe', screen: 'followed', json: BY_ADOPTION }),
  flag('--resume-drops-turn', { value: 'one', screen: ONLY_PRINT, json: BY_ADOPTION, isHidden: true }),
  flag('--resume-session-at', { value: 'one', screen: ONLY_PRINT, json: BY_ADOPTION, isHidden: true }),
  flag('--rewind-files', { value: 'one', screen: PRINTS_AND_ENDS, isHidden: true }),
  flag('--safe-mode', { value: 'none', screen: NO_HOOKS }),
  flag('--sdk-url', { value: 'one', screen: ONLY_PRINT, json: OWN_FORMAT, isHidden: true }),
  flag('--session-id', { value: 'one', screen: 'followed', json: BY_ADOPTION }),
  flag('--setting-sources', { value: 'one' }),
  flag('--settings', { value: 'one', screen: 'merged' }),
  flag('--strict-mcp-config', { value: 'none' }),
  flag('--system-prompt', { value: 'one' }),
  flag('--system-prompt-file', { value: 'one', isHidden: true }),
  flag('--system-prompt-snapshot', { value: 'one' }),
  flag('--teleport', { value: 'maybe', screen: RUNS_ELSEWHERE }),
  flag('--tmux', { value: 'none', screen: RUNS_ELSEWHERE }),
  flag('--tools', { value: 'many' }),
  flag('--verbose', { value: 'none' }),
  flag('-v --version', { value: 'none', screen: PRINTS_AND_ENDS }),
  flag('-w --worktree', { value: 'maybe', screen: 'followed' }),
];

/** The commands of Claude Code 2.1.332, which start no session of their own. */
export const CLAUDE_COMMANDS: readonly string[] = [
  'agents',
  'attach',
  'auth',
  'auto-mode',
  'doctor',
  'gateway',
  'import',
  'install',
  'kill',
  'logs',
  'mcp',
  'plugin',
  'plugins',
  'purge',
  'respawn',
  'rm',
  'setup-token',
  'stop',
  'ultrareview',
  'update',
  'upgrade',
];
