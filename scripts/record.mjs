// npm run record -- --claude VERSION --scene NAME: records the real Claude Code of a version on the stand-in, with ground truth.
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createViteServer } from 'vitest/node';
import { ROOT } from './root.mjs';

const USAGE = `npm run record -- --claude VERSION --scene NAME [--scene NAME…] [--as NAME] [--cols N] [--rows N]
               [--alternate-screen] [--timing advanced|classic] [--out DIR] [--cache DIR]
npm run record -- --list`;

/**
 * Set for the process that records: it runs in a network of its own that has loopback and nothing else. Some versions call
 * their vendor whatever they are told (2.1.50 fetches a list of plugins at its start).
 */
const INSIDE = 'CBOS_RECORDER_INSIDE';

const options = readOptions();

// loads TypeScript on every Node that CBOS supports, as the tests do
const loader = await createViteServer({
  root: ROOT,
  configFile: false,
  server: { middlewareMode: true, watch: null, ws: false },
  appType: 'custom',
  oxc: { target: 'node20' },
  logLevel: 'error',
});
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort());
let exitCode = 0;
try {
  const recorder = await loader.ssrLoadModule(join(ROOT, 'test', 'recordings', 'record.ts'));
  exitCode = await main(recorder);
} finally {
  await loader.close();
}
process.exit(exitCode);

/** @param {Record<string, any>} recorder */
async function main(recorder) {
  const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  if (options.list) {
    for (const line of recorder.describeScenes()) print(line);
    return 0;
  }
  const isInside = process.env[INSIDE] === '1';
  for (const scene of isInside ? options.scene : []) {
    try {
      await recorder.record({ ...options, scene, signal: stopped.signal, print });
    } catch (error) {
      if (stopped.signal.aborted) return 130;
      if (!(error instanceof recorder.RecorderError)) throw error;
      process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
      exitCode = 1;
    }
  }
  return isInside ? exitCode : await prepare(recorder, print);
}

/** What needs the network; then this program again, without one. @param {Record<string, any>} recorder @param {(line: string) => void} print */
async function prepare(recorder, print) {
  try {
    for (const scene of options.scene) recorder.findScene(scene);
    await recorder.obtainClaude({ version: options.claude, cacheDir: options.cacheDir, print });
  } catch (error) {
    if (!(error instanceof recorder.RecorderError)) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
  const command = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, ...process.argv.slice(1)];
  // Never as a mapped root: Screen would give its terminals to a group that is unknown there, and fail.
  const as = process.getuid?.() === 0 ? [] : ['--map-current-user', '--keep-caps'];
  const child = spawn('unshare', [...as, '--net', ...command], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: '1' },
  });
  stopped.signal.addEventListener('abort', () => child.kill('SIGTERM'));
  return await new Promise((resolve) => {
    child.on('error', (error) => {
      process.stderr.write(`the recorder needs unshare (util-linux) for a network of its own: ${error.message}\n`);
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        claude: { type: 'string' },
        scene: { type: 'string', multiple: true },
        as: { type: 'string' },
        cols: { type: 'string' },
        rows: { type: 'string' },
        'alternate-screen': { type: 'boolean', default: false },
        timing: { type: 'string', default: 'advanced' },
        out: { type: 'string' },
        cache: { type: 'string' },
        list: { type: 'boolean', default: false },
      },
    });
    const { claude = '', scene = [], timing } = values;
    if (!values.list && (claude === '' || scene.length === 0)) throw new Error('a version and a scene are needed');
    if (timing !== 'advanced' && timing !== 'classic') throw new Error(`there is no timing format ${timing}`);
    if (values.as !== undefined && scene.length > 1) throw new Error('--as names one recording: give one scene');
    return {
      list: values.list,
      claude,
      scene,
      timing,
      alternateScreen: values['alternate-screen'],
      out: resolve(values.out ?? join(ROOT, 'test', 'fixtures', 'recordings')),
      cacheDir: resolve(
        values.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cbos', 'claude-code'),
      ),
      ...(values.as === undefined ? {} : { as: values.as }),
      ...(values.cols === undefined ? {} : { cols: sizeOf(values.cols) }),
      ...(values.rows === undefined ? {} : { rows: sizeOf(values.rows) }),
    };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    return process.exit(2);
  }
}

/** @param {string} text */
function sizeOf(text) {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new Error(`${text} is no size of a window`);
  return Number(text);
}
