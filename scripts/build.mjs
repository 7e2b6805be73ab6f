// npm run build [-- --bundle-only] [-- --force]: checks types, then builds dist/cbos.js and dist/web. Does nothing if
// no source has changed.
import { dirname, join, relative } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { fingerprint, isBuilt, rememberFingerprint, TARGETS } from './build/fingerprint.mjs';
import { keepCode } from './build/keep-code.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';

const { values: flags } = parseArgs({
  options: {
    // for `npm start`, which leaves the types to the gate
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

if (!flags['bundle-only'] && (await passThrough(tool('tsc'), ['-b'])) !== 0) process.exit(1);

await make('program', async ({ output }) => {
  // This is loaded late, which saves the bundler's 50 ms when there is nothing to do.
  const { bundle } = await import('./build/bundle.mjs');
  const threads = { 'search-worker': join(ROOT, 'src', 'local', 'search-worker.ts') };
  await bundle({ entry: join(ROOT, 'src', 'main.ts'), threads, output });
  keepCode(output);
});
await make('page', async ({ output }) => {
  const { buildPage } = await import('./build/page.mjs');
  await buildPage({ source: join(ROOT, 'src', 'web'), output: dirname(output) });
});

/**
 * Builds a target if its sources have changed.
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
    // The bundler colours its messages regardless of NO_COLOR.
    process.stderr.write(`${stripVTControlCharacters(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  }
  rememberFingerprint(target, current);
  process.stdout.write(`built ${relative(ROOT, output)} in ${Math.round(performance.now() - started)} ms\n`);
}
