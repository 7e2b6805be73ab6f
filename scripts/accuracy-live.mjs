// npm run accuracy -- --live: plays the recorder's scenes on a running server with the real Claude Code, and scores the
// status that clients receive.
import { readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './root.mjs';
import { isWithoutNetwork, runWithoutNetwork } from './without-network.mjs';

/** The results of the most recent runs, from which docs/ACCURACY.md is generated. */
export const LIVE_RESULTS = join(ROOT, 'test', 'fixtures', 'live-accuracy.json');

/** How many scenes run at the same time. Two scenes keep two cores busy without delaying each other. */
const PARALLEL = 2;
const RUNS = 3;

/**
 * @param {{ ssrLoadModule(path: string): Promise<Record<string, any>> }} loader
 * @param {string[]} argv
 * @returns {Promise<number>} exit code
 */
export async function measureLive(loader, argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      live: { type: 'boolean' },
      scene: { type: 'string', multiple: true },
      from: { type: 'string' },
      count: { type: 'string' },
      claude: { type: 'string' },
      runs: { type: 'string' },
      parallel: { type: 'string' },
      cache: { type: 'string' },
      // this mode plays the scenes and prints the results, but stores nothing
      dry: { type: 'boolean', default: false },
    },
  });
  const live = await loader.ssrLoadModule(join(ROOT, 'test', 'live', 'run-live.ts'));
  const claude = values.claude ?? live.pinnedVersion();
  const cacheDir = values.cache ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cbos', 'claude-code');
  const print = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => stopped.abort());
  if (!isWithoutNetwork()) {
    // Do the steps that need the network first, then run the program again without a network.
    await live.obtainClaude({ version: claude, cacheDir, print });
    return await runWithoutNetwork(stopped.signal);
  }
  /** @type {string[]} */
  const all = live.liveScenes();
  const from = values.from === undefined ? 0 : all.indexOf(values.from);
  const scenes = values.scene ?? all.slice(from, from + Number(values.count ?? all.length));
  const { results, broken } = await live.runLive({
    scenes,
    runs: Number(values.runs ?? RUNS),
    parallel: Number(values.parallel ?? PARALLEL),
    claude,
    cacheDir,
    signal: stopped.signal,
    print,
  });
  if (!values.dry && !stopped.signal.aborted) {
    const merged = live.mergeLive(JSON.parse(readFileSync(LIVE_RESULTS, 'utf8')), results);
    writeFileSync(LIVE_RESULTS, `${JSON.stringify(merged)}\n`);
  }
  return broken.length === 0 ? 0 : 1;
}
