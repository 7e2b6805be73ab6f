// npm run older -- VERSION[,VERSION…] [SUITE…]: runs end-to-end suites against older versions of Claude Code, one
// version at a time, in a network that has only a loopback interface.
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openLoader } from './load-typescript.mjs';
import { ROOT } from './root.mjs';
import { isWithoutNetwork, runWithoutNetwork } from './without-network.mjs';

const [versions, ...suites] = process.argv.slice(2);
if (versions === undefined) {
  process.stderr.write(
    'npm run older -- VERSION[,VERSION…] [SUITE…], as in: npm run older -- 2.0.77 test/e2e/answers.test.ts\n',
  );
  process.exit(2);
}

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort());

// Do the steps that need the network first, then run the program again without a network.
const programs = [];
for (const version of versions.split(',')) {
  const claude = await obtain(version);
  if (claude === null) process.exit(1);
  programs.push({ version, claude });
}
if (!isWithoutNetwork()) process.exit(await runWithoutNetwork(stopped.signal));
let exitCode = 0;
for (const program of programs) {
  if (!stopped.signal.aborted) exitCode = Math.max(exitCode, await runSuites(program));
}
process.exit(exitCode);

/** @param {string} wanted @returns {Promise<string | null>} null if it cannot be obtained */
async function obtain(wanted) {
  const loader = await openLoader();
  try {
    const { obtainClaude, RecorderError } = await loader.ssrLoadModule(
      join(ROOT, 'test', 'recordings', 'claude-versions.ts'),
    );
    const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cbos', 'claude-code');
    const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
    try {
      return (await obtainClaude({ version: wanted, cacheDir, print })).at(-1);
    } catch (error) {
      if (!(error instanceof RecorderError)) throw error;
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      return null;
    }
  } finally {
    await loader.close();
  }
}

/** @param {{ version: string, claude: string }} program @returns {Promise<number>} vitest's exit code */
function runSuites({ version, claude }) {
  const wanted = suites.length > 0 ? suites : ['test/e2e/answers.test.ts'];
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...wanted], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CBOS_TEST_CLAUDE: claude, CBOS_TEST_CLAUDE_VERSION: version },
  });
  stopped.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve(code ?? 1));
  });
}
