// Starts the stand-in, as `claude` would start with the same arguments.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { readLaunch } from './launch.mjs';

const argv = process.argv.slice(2);

/** The version that the tests run, which the contract compares with. */
function pinnedVersion() {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return manifest.devDependencies['@anthropic-ai/claude-code'];
}

async function main() {
  const { Engine } = await import('./engine.mjs');
  const { readSettings, isTrusted, trusting } = await import('./settings.mjs');
  const launch = readLaunch(argv);
  if (launch.unknown !== null) return fail(`error: unknown option '${launch.unknown}'`);
  const cwd = realpathSync(process.cwd());
  const settings = readSettings({ ...launch, cwd });
  const version = pinnedVersion();
  const entrypoint = launch.isPrint ? 'sdk-cli' : 'cli';
  const open = () => new Engine({ launch, settings, cwd, version, entrypoint });
  if (launch.isPrint) {
    const { runJson } = await import('./json.mjs');
    return runJson(open, launch, fail);
  }
  if (!isTrusted(cwd)) {
    const { askForTrust } = await import('./trust.mjs');
    if (!(await askForTrust(cwd))) return process.exit(1);
    const [file, state] = trusting(cwd);
    writeFileSync(file, JSON.stringify(state, null, 2));
  }
  const { Terminal } = await import('./terminal.mjs');
  const { noteExit } = await import('./commands.mjs');
  let engine;
  try {
    engine = open();
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  let isLeaving = false;
  const leave = async (reason = 'other', isTyped = false) => {
    if (isLeaving) return;
    isLeaving = true;
    terminal.leave();
    if (isTyped) noteExit(engine);
    if (isTyped) process.stdout.write(`\r\nResume this session with:\r\nclaude --resume ${engine.sessionId}\r\n`);
    await engine.end(reason);
    process.exit(CODES[reason] ?? 0);
  };
  const terminal = new Terminal(engine, leave);
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 0],
  ]) {
    process.on(/** @type {string} */ (signal), () => {
      CODES.other = /** @type {number} */ (code);
      void leave('other');
    });
  }
  const { followStatusLine } = await import('./status-line.mjs');
  followStatusLine(engine, terminal);
  await terminal.start();
  if (launch.prompt !== null) void engine.prompt(launch.prompt);
}

/** @type {Record<string, number>} */
const CODES = { prompt_input_exit: 0 };

/** @param {string} message */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

// The kernel's name for the process of the real program.
writeFileSync('/proc/self/comm', 'claude');

if (argv[0] === '--version' || argv[0] === '-v') process.stdout.write(`${pinnedVersion()} (Claude Code)\n`);
else await main();
