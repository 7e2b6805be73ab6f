// npm run accuracy -- --held-out: scores the held-out recordings that have never been scored before, exactly once, and
// records the figures.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

export const HELD_OUT = join(ROOT, 'test', 'fixtures', 'recordings-held-out');
const SCORED = join(HELD_OUT, 'scored.json');

/**
 * @param {{ ssrLoadModule(path: string): Promise<Record<string, any>> }} loader
 * @returns {Promise<void>}
 */
export async function scoreHeldOut(loader) {
  const load = (/** @type {string} */ name) => loader.ssrLoadModule(join(ROOT, 'test', 'harness', name));
  const { scoreDirectory } = await load('accuracy.ts');
  const { describeFaults } = await load('accuracy-page.ts');
  const { firstScoring } = await load('accuracy-sections.ts');
  const before = JSON.parse(readFileSync(SCORED, 'utf8'));
  const known = new Set(before.flatMap((/** @type {{ recordings: string[] }} */ { recordings }) => recordings));
  const fresh = (await scoreDirectory(HELD_OUT)).filter(
    (/** @type {{ version: string, scene: string }} */ { version, scene }) => !known.has(`${version}/${scene}`),
  );
  if (fresh.length === 0) {
    process.stdout.write('all that is held out was scored before\n');
    return;
  }
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  const entry = firstScoring(fresh, { at: new Date().toISOString(), commit });
  writeFileSync(SCORED, `${JSON.stringify([...before, entry], null, 2)}\n`);
  process.stdout.write(`${JSON.stringify(entry.all)}\n${describeFaults(fresh)}\n`);
}
