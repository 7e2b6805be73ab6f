// npm run build [-- --bundle-only] [-- --force]: checks types, then builds dist/cbos.js and dist/web. Does nothing if
// no source has changed.
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepCode } from './build/keep-code.mjs';
import { makeTarget } from './build/make-target.mjs';
import { ROOT } from './root.mjs';
import { passThrough, tool } from './run-command.mjs';

const { values: flags } = parseArgs({
  options: {
    // for `npm start`, which leaves type checking to the gate
    'bundle-only': { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
  },
});

if (!flags['bundle-only'] && (await passThrough(tool('tsc'), ['-b'])) !== 0) process.exit(1);

await makeTarget('program', flags, async ({ output }) => {
  // This is loaded late, which saves the 50 ms that the bundler takes to load when there is nothing to do.
  const { bundle } = await import('./build/bundle.mjs');
  const threads = { 'search-worker': join(ROOT, 'src', 'local', 'search-worker.ts') };
  await bundle({ entry: join(ROOT, 'src', 'main.ts'), threads, output });
  keepCode(output);
});
await makeTarget('page', flags, async ({ output }) => {
  const { buildPage } = await import('./build/page.mjs');
  await buildPage({ source: join(ROOT, 'src', 'web'), output: dirname(output) });
});
