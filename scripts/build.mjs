// npm run build [-- --bundle-only] [-- --force]: types, then dist/cbos.js and dist/web. Does nothing when nothing
// changed.
import { dirname, join, relative } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { fingerprint, isBuilt, rememberFingerprint, TARGETS } from './build/fingerprint.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';

const { values: flags } = parseArgs({
  options: {
    // what `npm start` needs; the types are the gate's business
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

if (!flags['bundle-only'] && (await passThrough(tool('tsc'), ['-b'])) !== 0) process.exit(1);

await make('program', async ({ output }) => {
  // loaded late: with nothing to do, the bundler's 50 ms are saved
  const { bundle } = await import('./build/bundle.mjs');
  const threads = { 'search-worker': join(ROOT, 'src', 'local', 'search-worker.ts') };
  await bundle({ entry: join(ROOT, 'src', 'main.ts'), threads, output });
});
await make('page', async ({ output }) => {
  const { buildPage } = await import('./build/page.mjs');
  await buildPage({ source: join(ROOT, 'src', 'web'), output: dirname(output) });
});

/**
 * Builds a target when its sources changed.
 * @param {import('./build/fingerprint.mjs').Target} target
 * @param {(options: { output: string }) => Promise<void>} build
 */
async function make(target, build) {
  const current = fingerprint(target);
  if (!flags.force && isBuilt(target, current)) return;
  const started = performance.now();
  const { output } = TARGETS[target];
  try {
    await build({ output });
  } catch (error) {
    // the bundler colours its messages whatever NO_COLOR says
    process.stderr.write(`${stripVTControlCharacters(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  }
  rememberFingerprint(target, current);
  process.stdout.write(`built ${relative(ROOT, output)} in ${Math.round(performance.now() - started)} ms\n`);
}
