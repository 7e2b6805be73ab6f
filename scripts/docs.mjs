// npm run docs [-- --force]: builds the documentation site into dist/docs. Does nothing if no page has changed.
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { makeTarget } from './build/make-target.mjs';

const { values: flags } = parseArgs({ options: { force: { type: 'boolean', default: false } } });

await makeTarget('docs', flags, async ({ output }) => {
  // Load VitePress only when it is needed, because that takes most of a second.
  const { buildSite } = await import('./docs/build-site.mjs');
  await buildSite({ output: dirname(output) });
});
