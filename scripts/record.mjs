// npm run record -- --claude VERSION --scene NAME: records a given version of the real Claude Code against the
// stand-in, along with the ground truth. With --events, it records the events of a JSON session instead of a terminal.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openLoader } from './load-typescript.mjs';
import { ROOT } from './root.mjs';
import { isWithoutNetwork, runWithoutNetwork } from './without-network.mjs';

const USAGE = `npm run record -- --claude VERSION --scene NAME [--scene NAME…] [--as NAME] [--cols N] [--rows N]
               [--alternate-screen] [--timing advanced|classic] [--out DIR] [--cache DIR]
npm run record -- --events --claude VERSION [--scene NAME…] [--out DIR] [--cache DIR]
npm run record -- [--events] --list`;

const options = readOptions();

const loader = await openLoader();
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort());
let exitCode = 0;
try {
  const file = options.events ? 'record-events.ts' : 'record.ts';
  exitCode = await main(await loader.ssrLoadModule(join(ROOT, 'test', 'recordings', file)));
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
  const isInside = isWithoutNetwork();
  for (const scene of isInside ? scenesOf(recorder) : []) {
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

/**
 * Returns the requested scenes. If events are recorded and no scene was requested, returns all scenes.
 * @param {Record<string, any>} recorder
 * @returns {string[]}
 */
function scenesOf(recorder) {
  return options.scene.length > 0 ? options.scene : recorder.SCENE_NAMES;
}

/**
 * Does the steps that need the network, then runs this program again without a network.
 * @param {Record<string, any>} recorder
 * @param {(line: string) => void} print
 */
async function prepare(recorder, print) {
  try {
    for (const scene of scenesOf(recorder)) recorder.findScene(scene);
    await recorder.obtainClaude({ version: options.claude, cacheDir: options.cacheDir, print });
  } catch (error) {
    if (!(error instanceof recorder.RecorderError)) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
  return await runWithoutNetwork(stopped.signal);
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
        events: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    });
    const { claude = '', scene = [], timing, events } = values;
    if (!values.list && claude === '') throw new Error('a version is needed');
    if (!values.list && !events && scene.length === 0) throw new Error('a scene is needed');
    if (timing !== 'advanced' && timing !== 'classic') throw new Error(`there is no timing format ${timing}`);
    if (values.as !== undefined && scene.length > 1) throw new Error('--as names one recording: give one scene');
    return {
      list: values.list,
      events,
      claude,
      scene,
      timing,
      alternateScreen: values['alternate-screen'],
      out: resolve(values.out ?? join(ROOT, 'test', 'fixtures', events ? 'json-events' : 'recordings')),
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
