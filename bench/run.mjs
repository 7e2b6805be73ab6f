// npm run bench [-- NAME…]: runs bench/NAME.bench.ts (all benchmarks if no name is given) against the built dist/ and
// records the figures.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createViteServer } from 'vitest/node';
import { ROOT } from '../scripts/root.mjs';
import { passThrough } from '../scripts/run-command.mjs';
import { isWithoutNetwork, runWithoutNetwork } from '../scripts/without-network.mjs';
import { formatFigures, isWithinLimit } from './figures.mjs';
import { describeMachine } from './machine.mjs';

const BENCH_FILE = /^(.+)\.bench\.(ts|mjs)$/;
const FOLDER = join(ROOT, 'bench');

const known = readdirSync(FOLDER).flatMap((file) => BENCH_FILE.exec(file)?.[1] ?? []);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no bench is called ${unknown.join(', ')}; there are: ${known.join(', ') || 'none yet'}\n`);
  process.exit(2);
}

if ((await passThrough(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--bundle-only'])) !== 0) process.exit(1);

const machine = describeMachine();
process.stdout.write(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, Linux ${machine.kernel}\n`);
mkdirSync(join(FOLDER, 'results'), { recursive: true });

// Loads TypeScript on every Node that CBOS supports, as the tests do.
const loader = await createViteServer({
  root: ROOT,
  configFile: false,
  server: { middlewareMode: true, watch: null, ws: false },
  appType: 'custom',
  oxc: { target: 'node20' },
  // These packages are CommonJS, so Node itself must load them.
  ssr: { external: ['@xterm/headless', '@xterm/addon-serialize'] },
  logLevel: 'error',
});
let isGood = true;
try {
  for (const name of wanted) isGood = (await runBench(name)) && isGood;
} finally {
  await loader.close();
}
process.exit(isGood ? 0 : 1);

/** @param {string} name */
async function runBench(name) {
  const file = readdirSync(FOLDER).find((candidate) => BENCH_FILE.exec(candidate)?.[1] === name) ?? '';
  const bench = /** @type {import('./figures.mjs').Bench} */ (await loader.ssrLoadModule(join(FOLDER, file)));
  if (bench.prepare !== undefined && !isWithoutNetwork()) {
    await bench.prepare();
    return (await runWithoutNetwork(AbortSignal.any([]), [process.argv[1] ?? '', name])) === 0;
  }
  process.stdout.write(`\n${name}: ${bench.about}\n`);
  const [before = 0] = loadavg();
  const figures = await bench.measure();
  process.stdout.write(`${formatFigures(figures)}\n`);
  const record = {
    ...{ bench: name, about: bench.about, at: new Date().toISOString(), commit: commit() },
    // The load average over the last minute, before and after, shows what else the machine was doing.
    ...{ load: [round(before), round(loadavg()[0] ?? 0)], machine, figures },
  };
  writeFileSync(join(FOLDER, 'results', `${name}.json`), `${JSON.stringify(record, null, 2)}\n`);
  return figures.every(isWithinLimit);
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 10) / 10;
}

/**
 * Returns the commit that was measured, followed by a plus if the checkout differs from it; null outside a checkout.
 */
function commit() {
  try {
    const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '-uno') === '' ? '' : '+'}`;
  } catch {
    return null; // the checkout may be an unpacked tarball, without git
  }
}
