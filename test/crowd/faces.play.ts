import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isCurrent, needsYou, type SeenSession } from '../../src/protocol/index.ts';
import { runCommand } from '../cli/command-line.ts';
import { openBrowser } from '../harness/browser.ts';
import { startFaces } from '../harness/faces.ts';
import { openPageOf, type PageUnderTest, WEB_DIR } from '../harness/page.ts';
import { asking, DONE, FAILED, WORKING } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';
import { createRandom } from '../torture/random.ts';
import { crowdSize, namesOf } from './crowd.ts';

const MINUTES = Number(process.env.CBOS_MINUTES ?? 10);
const SEED = Number(process.env.CBOS_FACES_SEED ?? 1);
const slugs = namesOf(crowdSize(50));
/** Headings, rows, a question and the footer fit without scrolling. */
const ROWS = 120;

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { isWhole: true });
});
afterAll(() => world.dispose());

/** The groups of the page's list, such as `Needs you 3`. Folded groups count too. */
const pageGroups = ({ page }: PageUnderTest): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.sessions h2')].map((heading) =>
    [...heading.children].map((part) => part.textContent).join(' '))`);

/** The groups of the terminal UI's list, in the same form. */
async function terminalGroups(terminal: Terminal): Promise<string[]> {
  const headings = (await terminal.screen()).matchAll(/^ ?([A-Z][a-z]+(?: [a-z]+)*) \((\d+)\)/gm);
  return [...headings].map(([, title, count]) => `${title} ${count}`);
}

/** The sessions that the page's key `w` visits, from the first until one is visited again. */
async function pageJumps(one: PageUnderTest, count: number): Promise<string[]> {
  const visited = new Set<string>();
  await one.visit('#/settings');
  const shown = (): string => decodeURIComponent(one.page.url().split('#/s/')[1] ?? '');
  for (let jump = 0; jump < count; jump += 1) {
    const before = shown();
    await one.page.keyboard.press('w');
    await waitFor(() => shown() !== before, {
      describe: `key ${jump + 1} of ${count} opens another session than ${before}`,
      actual: () => one.page.evaluate<string>('location.hash + " " + document.activeElement?.outerHTML'),
    });
    visited.add(shown());
  }
  return [...visited].sort();
}

/** The sessions that Tab selects in the terminal UI, one after the other. */
async function terminalJumps(terminal: Terminal, needy: readonly string[]): Promise<string[]> {
  const visited = new Set<string>();
  const selected = async (): Promise<string> => /▌\S?\s?[ ✓•]?(S\d\d)/.exec(await terminal.screen())?.[1] ?? '';
  for (let jump = 0; jump < needy.length; jump += 1) {
    const before = await selected();
    await terminal.keys('Tab');
    // The only session that needs the person may be selected already.
    const isThere = async (): Promise<boolean> =>
      (await selected()) !== before || (needy.length === 1 && before === needy[0]);
    await waitFor(isThere, { describe: 'Tab selects a session', actual: selected });
    visited.add(await selected());
  }
  return [...visited].sort();
}

test(`the badge, the jump keys and all counts of three faces agree at every step: ${slugs.length} sessions, ${MINUTES} minutes, seed ${SEED}`, async () => {
  await using server = await startFaces({ webDir: WEB_DIR });
  for (const slug of slugs) server.sessions.addWithoutRecording(slug, DONE);
  await using one = await openPageOf(server, browser);
  const terminal = await openTerminal(server.world, { cols: 140, rows: ROWS });
  await terminal.until(/Done \(\d+\)/, 'the list');
  const where = { socket: server.faces.address.socket };
  const random = createRandom(SEED);
  let questions = 0;
  let steps = 0;
  const becomes = {
    asks: () => {
      questions += 1;
      return asking({ id: `q${questions}` });
    },
    works: () => WORKING,
    ends: () => DONE,
    fails: () => FAILED,
  } as const;
  const act = async (): Promise<string> => {
    const slug = random.pick(slugs as [string, ...string[]]);
    const what = random.weighted({ asks: 8, works: 5, ends: 5, fails: 2, snooze: 4, unsnooze: 2, unseen: 2, seen: 2 });
    switch (what) {
      case 'snooze':
        await server.call(`/sessions/${slug}/snooze`, { method: 'POST', body: { until_asks: true } });
        break;
      case 'unsnooze':
        await server.call(`/sessions/${slug}/snooze`, { method: 'DELETE' });
        break;
      case 'unseen':
        await server.call(`/sessions/${slug}/unseen`, { method: 'POST' });
        break;
      case 'seen':
        await server.call(`/sessions/${slug}/seen`, { method: 'POST', body: {} });
        break;
      default:
        server.sessions.change(slug, becomes[what]());
    }
    return `${what} ${slug}`;
  };

  const until = performance.now() + MINUTES * 60_000;
  while (performance.now() < until) {
    const done = [];
    for (let count = random.int(1, 6); count > 0; count -= 1) done.push(await act());
    steps += 1;
    const all = (await server.call('/sessions')).json() as SeenSession[];
    const needy = all.filter((session) => isCurrent(session) && needsYou(session)).map(({ slug }) => slug);
    const about = `step ${steps} (${done.join(', ')})`;

    const badge = async (): Promise<number> => Number(/^\((\d+)\) /.exec(await one.page.title())?.[1] ?? 0);
    await waitFor(async () => (await badge()) === needy.length, {
      describe: `${about}: the page's badge is ${needy.length}`,
      actual: () => one.page.title(),
    });
    const compared = async (): Promise<[string[], string[]]> => [await pageGroups(one), await terminalGroups(terminal)];
    await waitFor(
      async () => {
        const [page, tui] = await compared();
        return page.length > 0 && JSON.stringify(page) === JSON.stringify(tui);
      },
      { describe: `${about}: page and terminal UI have the same groups`, actual: compared },
    );
    const [groups] = await compared();
    expect(groups.find((group) => group.startsWith('Needs you ')) ?? 'Needs you 0').toBe(`Needs you ${needy.length}`);
    const listed = await runCommand(['ls', '-q', '--state', 'needs-you'], where);
    expect(listed.stdout.split('\n').filter(Boolean).sort(), about).toEqual([...needy].sort());
    expect(await pageJumps(one, needy.length), about).toEqual([...needy].sort());
    expect(await terminalJumps(terminal, needy), about).toEqual([...needy].sort());
  }
  process.stdout.write(`${steps} steps, ${questions} questions\n`);
  expect(one.watched.faults).toEqual([]);
});
