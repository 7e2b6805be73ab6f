// npm run build [-- --bundle-only] [-- --force]: types, then dist/cbos.js. Does nothing when nothing changed.
import { join } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { fingerprint, isBuilt, OUTPUT, rememberFingerprint } from './build/fingerprint.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';

const { values: flags } = parseArgs({
  options: {
    // what `npm start` needs; the types are the gate's business
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

const current = fingerprint();

if (!flags['bundle-only'] && (await passThrough(tool('tsc'), ['-b'])) !== 0) process.exit(1);

if (flags.force || !isBuilt(current)) {
  const started = performance.now();
  // loaded late: with nothing to do, the bundler's 50 ms are saved
  const { bundle } = await import('./build/bundle.mjs');
  try {
    await bundle({ entry: join(ROOT, 'src', 'main.ts'), output: OUTPUT });
  } catch (error) {
    // the bundler colours its messages whatever NO_COLOR says
    process.stderr.write(`${stripVTControlCharacters(error instanceof Error ? error.message : String(error))}\n`);
    process.exit(1);
  }
  rememberFingerprint(current);
  process.stdout.write(`built dist/cbos.js in ${Math.round(performance.now() - started)} ms\n`);
}
