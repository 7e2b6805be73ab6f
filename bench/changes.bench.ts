import { execFileSync } from 'node:child_process';
import { openBrowser } from '../test/harness/browser.ts';
import { createRepository, type TestRepository } from '../test/harness/git-repository.ts';
import { type PageUnderTest, startPage } from '../test/harness/page.ts';
import { DONE } from '../test/harness/some-sessions.ts';
import { createWorld } from '../test/harness/world.ts';
import { type Figure, median } from './figures.mjs';

export const about =
  "10,000 changed lines: the page's first screen in Chromium and the requests behind it, compared with one bare `git diff` of the same lines, alternating";

const LINES = 10_000;
const RUNS = 25;
/** A page that is drawn this quickly does not make the user wait. */
const FIRST_SCREEN_MS = 200;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const repository = createRepository(world);
  repository.write('many.ts', linesOf('old'));
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  repository.write('many.ts', linesOf('new'));
  const browser = await openBrowser(world, { isWhole: true });
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.add('AUTH', { ...DONE, path: repository.dir }),
  });
  const took = { bare: [] as number[], list: [] as number[], patch: [] as number[], screen: [] as number[] };
  // The first run also loads the page's code, as it does when a user opens the page for the first time, so it is not
  // measured.
  await firstScreen(one);
  for (let run = 0; run < RUNS; run++) {
    took.bare.push(await timed(() => bareDiff(repository)));
    took.list.push(await timed(() => one.server.call('/sessions/AUTH/changes')));
    took.patch.push(await timed(() => one.server.call('/sessions/AUTH/changes/patch?file=many.ts')));
    took.screen.push(await firstScreen(one));
  }
  const bare = median(took.bare);
  const times = (name: string, values: readonly number[], limit?: number): Figure[] => [
    { name: `${name}, median`, value: median(values), unit: 'ms', ...(limit === undefined ? {} : { limit }) },
    { name, value: median(values) / bare, unit: '× bare git diff' },
  ];
  return [
    { name: 'bare git diff, median', value: bare, unit: 'ms' },
    ...times('list of files', took.list),
    ...times('patch of 10,000 lines', took.patch),
    ...times('first screen of the page', took.screen, FIRST_SCREEN_MS),
    // On a machine that is busy with other work, the fastest run comes closest to the time that the page itself needs.
    { name: 'first screen of the page, fastest', value: Math.min(...took.screen), unit: 'ms' },
  ];
}

function linesOf(word: string): string {
  return Array.from(
    { length: LINES / 2 },
    (_, at) => `const ${word}${at + 1} = 'line number ${at + 1}'; // ${word}\n`,
  ).join('');
}

function bareDiff({ dir }: TestRepository): void {
  execFileSync('git', ['diff', 'main'], { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Returns the time from opening the changes in a session's view until their first lines are drawn, as measured in the
 * page itself.
 */
async function firstScreen({ page, visit }: PageUnderTest): Promise<number> {
  await visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  return page.evaluate<number>(`new Promise((resolve) => {
    const began = performance.now();
    const look = () => {
      const row = document.querySelector('section.patch .patch-row[data-kind=removed]');
      if (row === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => resolve(performance.now() - began));
    };
    location.hash = '#/s/AUTH/changes';
    look();
  })`);
}
