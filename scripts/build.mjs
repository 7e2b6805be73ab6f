// npm run build [-- --bundle-only] [-- --force]: checks types, then builds dist/cbos.js and dist/web. Does nothing if
// no source has changed.
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepCode } from './build/keep-code.mjs';
import { makeTarget } from './build/make-target.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tsc } from './run-command.mjs';

const { values: flags } = parseArgs({
  options: {
    // `npm start` uses this flag, because it leaves type checking to the gate
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

if (!flags['bundle-only'] && (await passThrough(tsc(), ['-b'])) !== 0) process.exit(1);

await makeTarget('program', flags, async ({ output }) => {
  // Load the bundler only when it is needed, which saves 50 ms if there is nothing to build.
  const { bundle } = await import('./build/bundle.mjs');
  const threads = { 'search-worker': join(ROOT, 'src', 'local', 'search-worker.ts') };
  await bundle({ entry: join(ROOT, 'src', 'main.ts'), threads, output });
  keepCode(output);
});
await makeTarget('page', flags, async ({ output }) => {
  const { buildPage } = await import('./build/page.mjs');
  await buildPage({ source: join(ROOT, 'src', 'web'), output: dirname(output) });
});
