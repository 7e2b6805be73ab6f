// The command line of Claude Code, as far as CBOS and its tests use it.

/** Options that take a value which the stand-in does not need. */
const WITH_VALUE = new Set([
  '--add-dir',
  '--agents',
  '--append-system-prompt',
  '--fallback-model',
  '--input-format',
  '--max-turns',
  '--mcp-config',
  '--output-format',
  '--permission-prompt-tool',
  '--plugin-dir',
  '--system-prompt',
]);

/** @param {readonly string[]} argv the arguments of the program */
export function readLaunch(argv) {
  const launch = {
    settings: /** @type {string | null} */ (null),
    sessionId: /** @type {string | null} */ (null),
    /** an id, or the path of a transcript */
    resume: /** @type {string | null} */ (null),
    continues: false,
    forks: false,
    mode: /** @type {string | null} */ (null),
    model: /** @type {string | null} */ (null),
    isPrint: false,
    allow: /** @type {string[]} */ ([]),
    deny: /** @type {string[]} */ ([]),
    maxBudgetUsd: /** @type {number | null} */ (null),
    prompt: /** @type {string | null} */ (null),
    unknown: /** @type {string | null} */ (null),
  };
  const words = argv.flatMap((word) => {
    const at = word.startsWith('--') ? word.indexOf('=') : -1;
    return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
  });
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '--settings') launch.settings = words.shift() ?? null;
    else if (word === '--session-id') launch.sessionId = words.shift() ?? null;
    else if (word === '--resume' || word === '-r') launch.resume = words.shift() ?? null;
    else if (word === '--continue' || word === '-c') launch.continues = true;
    else if (word === '--fork-session') launch.forks = true;
    else if (word === '--permission-mode') launch.mode = words.shift() ?? null;
    else if (word === '--dangerously-skip-permissions') launch.mode = 'bypassPermissions';
    else if (word === '--model') launch.model = words.shift() ?? null;
    else if (word === '--max-budget-usd') launch.maxBudgetUsd = Number(words.shift());
    else if (/^--allowed-?tools$/i.test(word)) launch.allow.push(...(words.shift() ?? '').split(','));
    else if (/^--disallowed-?tools$/i.test(word)) launch.deny.push(...(words.shift() ?? '').split(','));
    else if (word === '--print' || word === '-p') launch.isPrint = true;
    else if (WITH_VALUE.has(word)) words.shift();
    else if (['--verbose', '--include-partial-messages', '--replay-user-messages'].includes(word)) continue;
    else if (word.startsWith('-')) launch.unknown ??= word;
    else launch.prompt = word;
  }
  return launch;
}
