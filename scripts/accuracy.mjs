// npm run accuracy [-- DIRECTORY]: scores CBOS and two classic sets of patterns on the labelled recordings. Without a directory it writes
// docs/ACCURACY.md and raises the floors; with one, laid out as VERSION/SCENE.*, it prints the page and changes nothing.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createViteServer } from 'vitest/node';
import { ROOT } from './root.mjs';

const FLOORS = join(ROOT, 'test', 'fixtures', 'accuracy-floors.json');
const directory = process.argv[2] === undefined ? null : resolve(process.argv[2]);

// loads TypeScript on every Node that CBOS supports, as the tests do
const loader = await createViteServer({
  root: ROOT,
  configFile: false,
  server: { middlewareMode: true, watch: null, ws: false },
  appType: 'custom',
  oxc: { target: 'node20' },
  // CommonJS, which only Node itself loads
  ssr: { external: ['@xterm/headless', '@xterm/addon-serialize'] },
  logLevel: 'error',
});
try {
  const load = (/** @type {string} */ name) => loader.ssrLoadModule(join(ROOT, 'test', 'harness', name));
  const { scoreDirectory } = await load('accuracy.ts');
  const { accuracyPage, describeFaults, raisedFloors } = await load('accuracy-page.ts');
  const scored = await scoreDirectory(directory ?? join(ROOT, 'test', 'fixtures', 'recordings'));
  const page = accuracyPage(scored);
  if (directory === null) {
    writeFileSync(join(ROOT, 'docs', 'ACCURACY.md'), page);
    const floors = raisedFloors(JSON.parse(readFileSync(FLOORS, 'utf8')), scored);
    writeFileSync(FLOORS, `${JSON.stringify(floors, null, 2)}\n`);
  }
  process.stdout.write(`${page}\n${describeFaults(scored)}\n`);
} finally {
  await loader.close();
}
