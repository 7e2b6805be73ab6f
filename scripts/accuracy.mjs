// npm run accuracy [-- DIRECTORY]: scores CBOS and two classic sets of patterns on the labelled recordings. Without a
// directory it writes docs/ACCURACY.md and raises the floors. If a directory is given, laid out as VERSION/SCENE.*, it
// prints the page and changes nothing. For --live, see accuracy-live.mjs; for --held-out, accuracy-held-out.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HELD_OUT, scoreHeldOut } from './accuracy-held-out.mjs';
import { LIVE_RESULTS, measureLive } from './accuracy-live.mjs';
import { openLoader } from './load-typescript.mjs';
import { ROOT } from './root.mjs';

const RECORDINGS = join(ROOT, 'test', 'fixtures', 'recordings');
const FLOORS = join(ROOT, 'test', 'fixtures', 'accuracy-floors.json');
const argv = process.argv.slice(2);

const loader = await openLoader();
let exitCode = 0;
try {
  if (argv.includes('--live')) exitCode = await measureLive(loader, argv);
  else if (argv.includes('--held-out')) await scoreHeldOut(loader);
  else await scoreRecordings(argv[0] === undefined ? null : resolve(argv[0]));
} finally {
  await loader.close();
}
process.exit(exitCode);

/** @param {string | null} directory */
async function scoreRecordings(directory) {
  const load = (/** @type {string} */ name) => loader.ssrLoadModule(join(ROOT, 'test', 'harness', name));
  const { scoreDirectory } = await load('accuracy.ts');
  const { accuracyPage, describeFaults, raisedFloors } = await load('accuracy-page.ts');
  const { heldOutSection, liveSection } = await load('accuracy-sections.ts');
  const scored = await scoreDirectory(directory ?? RECORDINGS);
  const readJson = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'));
  const sections =
    directory === null
      ? [
          liveSection(readJson(LIVE_RESULTS)),
          heldOutSection(readJson(join(HELD_OUT, 'scored.json')), await scoreDirectory(HELD_OUT)),
        ]
      : [];
  const page = accuracyPage(scored, sections);
  if (directory === null) {
    writeFileSync(join(ROOT, 'docs', 'ACCURACY.md'), page);
    const floors = raisedFloors(readJson(FLOORS), scored);
    writeFileSync(FLOORS, `${JSON.stringify(floors, null, 2)}\n`);
  }
  process.stdout.write(`${page}\n${describeFaults(scored)}\n`);
}
