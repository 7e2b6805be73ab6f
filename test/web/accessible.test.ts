import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Finding, loadAxe, seriousFindings } from '../harness/axe.ts';
import { openBrowser, VIEWPORTS } from '../harness/browser.ts';
import type { FacesUnderTest } from '../harness/faces.ts';
import { createRepository } from '../harness/git-repository.ts';
import { startPage } from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

const PLACES = [
  '#/',
  '#/s/ASKS',
  '#/s/FORM',
  '#/s/TERM',
  '#/s/payments-reconciliation',
  '#/s/JSON',
  '#/s/TERM/replay',
  '#/new',
  '#/stash',
  '#/search',
  '#/history',
  '#/settings',
];

/** In this view, a thumb chooses lines of code, which are as high as their text. */
const CHANGES = '#/s/CHANGED/changes';

/** Returns the selector of an element that exists once a place is shown. */
function readyOf(place: string): string {
  if (place.endsWith('/replay')) return '.replay-dock';
  if (place.endsWith('/changes')) return '.patch .code-string';
  return place.startsWith('#/s/') ? '#session-title' : '.shell';
}

/** The smallest target for a thumb (WCAG 2.5.5). */
const THUMB_PX = 44;

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

let made = 0;

/** Creates a repository whose changes contain every kind of token on added, removed and unchanged lines. */
function changedCode(server: FacesUnderTest): string {
  const repository = createRepository(server.world, `changed-${++made}`);
  const code = (word: string) =>
    `import { a } from 'a'; // ${word}\nconst a: string = { b: 1, c: null };\nexport const d = <p class="x">${word}</p>;\n`;
  repository.write('a.tsx', `${code('same')}${code('old')}`);
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  repository.write('a.tsx', `${code('same')}${code('new')}`);
  return repository.dir;
}

function prepare(server: FacesUnderTest): void {
  const { sessions } = server;
  sessions.add('CHANGED', { ...DONE, path: changedCode(server) });
  const options = [{ key: '1', label: 'SQLite', description: 'A file', means: 'choice' as const }];
  const questions = [{ header: 'Storage', text: 'Where?', options, multi: true }];
  sessions.add('ASKS', asking());
  sessions.add('FORM', asking({ kind: 'question', tool: null, text: 'Where?', options, questions, multi: true }));
  sessions.add('TERM', WORKING);
  sessions.add('payments-reconciliation', WORKING);
  sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete', ...DONE });
  sessions.happen(
    'JSON',
    { type: 'user', message: { role: 'user', content: 'hello' } },
    {
      type: 'assistant',
      message: { content: [{ type: 'text', text: '# Title\n\n```ts\nconst a = 1;\n```\n[link](https://x.y)' }] },
    },
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'tool_use', id: 't', name: 'Edit', input: { file_path: 'a', old_string: 'b', new_string: 'c' } },
        ],
      },
    },
  );
  sessions.addToStash({ session_slug: 'TERM', response: 'later', question: 'When?' });
}

test.each([
  ['light', 'desktop'],
  ['dark', 'desktop'],
  ['light', 'phone'],
  ['dark', 'phone'],
] as const)('axe finds nothing serious: %s, %s', async (colorScheme, viewport) => {
  const context = { colorScheme, viewport: VIEWPORTS[viewport], bypassCSP: true, hasTouch: viewport === 'phone' };
  await using one = await startPage(browser, { context, prepare });
  const { page } = one;
  await loadAxe(page);
  const serious: Record<string, Finding[]> = {};
  for (const place of [...PLACES, CHANGES]) {
    await one.visit(place);
    await page.locator(readyOf(place)).first().waitFor();
    serious[place] = await seriousFindings(page);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
  serious.palette = await seriousFindings(page);
  await page.keyboard.press('Escape');
  await one.visit('#/settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to CBOS' }).waitFor();
  await loadAxe(page);
  serious['sign-in'] = await seriousFindings(page);
  expect(Object.fromEntries(Object.entries(serious).filter(([, bad]) => bad.length > 0))).toEqual({});
});

test('at 360 pixels nothing is wider than the phone, and every target is as large as a thumb', async () => {
  const context = { viewport: VIEWPORTS.phone, hasTouch: true, isMobile: true };
  await using one = await startPage(browser, { context, prepare });
  for (const place of PLACES) {
    await one.visit(place);
    await one.page.locator(readyOf(place)).waitFor();
    expect(await one.page.evaluate('document.documentElement.scrollWidth'), place).toBeLessThanOrEqual(360);
    const small = await one.page.locator('main button, main select, main .button, .nav a, .session-row').evaluateAll(
      (all, least) =>
        all
          .map((element) => ({
            text: element.textContent,
            height: Math.round(element.getBoundingClientRect().height),
          }))
          .filter(({ height }) => height > 0 && height < least),
      THUMB_PX,
    );
    expect(small, place).toEqual([]);
    const overlapping = await one.page.locator('.page-head > *, .page-head .row > *').evaluateAll((all) => {
      const boxes = all
        .filter((element) => element.matches('h1, button, a, .menu'))
        .map((element) => ({ text: element.ariaLabel ?? element.textContent, box: element.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0);
      return boxes.filter(({ box }, index) => box.left < (boxes[index - 1]?.box.right ?? 0) || box.right > 360);
    });
    expect(overlapping, place).toEqual([]);
  }
});
