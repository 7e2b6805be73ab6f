import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClaudeEvent } from '../../src/protocol/index.ts';
import { openBrowser, requestsElsewhere } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const IMG = '<img src=x onerror="window.wasHit=1">';
const SCRIPT = '<script>window.wasHit=1</script>';
const LINKS =
  '[click](javascript:window.wasHit=1) ![picture](https://evil.example/p.png) <a href="javascript:window.wasHit=1">raw</a>';
const EVIL = `${IMG} ${SCRIPT} ${LINKS}`;
/** Everything after it is shown from right to left: "gpj.exe" looks like "exe.jpg". */
const REVERSED = '\u202e';
/** The longest answer that a tool may give. The page must stay usable when it draws the answer. */
const HUGE = `${'x'.repeat(200)}\n`.repeat(10_000);

/** Pastes the letter k into the focused element. */
const PASTE = `{
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', 'k');
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}`;

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

/** Expects that nothing ran, that nothing was loaded from elsewhere, and that the text created no element. */
async function expectInert({ page, watched }: PageUnderTest): Promise<void> {
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(watched.faults).toEqual([]);
  expect(requestsElsewhere(browser)).toEqual([]);
  expect(await page.locator('img[src="x"], img[src*="evil"], #app script, a[href^="javascript"]').count()).toBe(0);
}

const tool = (name: string, input: object): ClaudeEvent => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id: 't1', name, input }] },
});

test('names, questions and actions of a session stay text', async () => {
  const option = { key: '1', label: EVIL, description: EVIL, means: 'choice' as const };
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('ASKS', {
        path: `/tmp/${IMG}`,
        ...asking({ text: EVIL, tool: { name: EVIL, input: { [EVIL]: EVIL } }, options: [option] }),
      });
      const questions = [EVIL, `${EVIL} 2`].map((text) => ({ header: EVIL, text, options: [option], multi: true }));
      sessions.add('FORM', { ...asking({ kind: 'question', text: EVIL, tool: null, options: [option], questions }) });
      sessions.add('PLAN', asking({ kind: 'plan', tool: { name: 'ExitPlanMode', input: { plan: EVIL } } }));
      const busy = WORKING.status;
      if (busy === undefined) throw new Error('no status');
      sessions.add('BUSY', {
        ...WORKING,
        status: { ...busy, because: { source: 'hook', rule: EVIL, evidence: EVIL } },
      });
    },
  });
  for (const place of ['#/', '#/s/ASKS', '#/s/FORM', '#/s/PLAN', '#/s/BUSY', `#/s/${encodeURIComponent(IMG)}`]) {
    await one.visit(place);
    await one.page.locator('main', { hasText: /./ }).waitFor();
  }
  await one.page.keyboard.press('Control+k');
  await one.page.getByRole('combobox').fill('img');
  await expectInert(one);
});

test('hits, drafts, counts and suggestions stay text', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('FOUND', { last_question: `${EVIL} needle` });
      sessions.addToStash({ session_slug: 'FOUND', response: `so ${EVIL}`, question: EVIL });
    },
  });
  const { page, server } = one;
  await one.visit('#/search');
  await page.getByLabel('Search all sessions').fill('needle');
  await page.locator('mark', { hasText: 'needle' }).waitFor();
  await page.getByLabel('Search all sessions').fill(EVIL);
  await page.locator('mark').first().waitFor();
  await one.visit('#/stash');
  await page.getByText('window.wasHit=1').first().waitFor();
  await one.visit(`#/search?q=${encodeURIComponent(EVIL)}`);
  await page.locator('mark').first().waitFor();
  await one.visit('#/history');
  await page.getByRole('rowheader', { name: 'FOUND' }).waitFor();
  // A folder may have any name without a slash. Completion shows the name, and the session's name is derived from it.
  const folder = server.world.project('a<img src=x onerror=window.wasHit=1>');
  await one.visit('#/new');
  await page.getByLabel('Folder').fill(folder.slice(0, -5));
  await page.getByRole('option', { name: folder }).waitFor();
  await page.keyboard.press('Tab');
  await waitFor(async () => (await page.getByLabel('Name').inputValue()).startsWith('A-IMG'), {
    describe: 'the name is a valid one',
  });
  for (const place of ['replay?recording=<script>', 'replay?offset=<script>&t=x', '%00', '%3Cscript%3E']) {
    await one.visit(`#/s/${place}`);
    await page.locator('main', { hasText: /./ }).waitFor();
  }
  await expectInert(one);
});

test('no mark hides what a command, a path or an edit is', async () => {
  const command = `rm -rf ${REVERSED}/emoh/ ohce #`;
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('ASKS', { path: `/tmp/${REVERSED}x`, ...asking({ tool: { name: 'Bash', input: { command } } }) });
      const edit = { file_path: `a${REVERSED}b.ts`, old_string: 'a', new_string: `b${REVERSED}c` };
      sessions.add('EDITS', asking({ id: 'q2', tool: { name: 'Edit', input: edit } }));
    },
  });
  const { page } = one;
  await one.visit('#/');
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('rm -rf \\u202e/emoh/').waitFor();
  await one.visit('#/s/ASKS');
  const permission = page.getByRole('region', { name: 'Permission' });
  await permission.getByText('rm -rf \\u202e/emoh/').waitFor();
  await one.visit('#/s/EDITS');
  await permission.getByText('a\\u202eb.ts').waitFor();
  await permission.locator('[data-kind="+"]', { hasText: 'b\\u202ec' }).waitFor();
  expect(await page.locator('body').textContent()).not.toContain(REVERSED);
  await expectInert(one);
});

test('a tool that answers with megabytes, and a prompt of that size, leave the page usable', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete' });
      sessions.add(
        'ASKS',
        asking({ text: HUGE, tool: { name: 'Write', input: { file_path: 'a.ts', content: HUGE } } }),
      );
    },
  });
  const { page } = one;
  one.server.sessions.happen(
    'JSON',
    { type: 'user', message: { role: 'user', content: HUGE } },
    tool('Read', { file_path: 'big.ts' }),
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: HUGE }] } },
    { type: 'assistant', message: { content: [{ type: 'text', text: `\`\`\`ts\n${HUGE}\n\`\`\`\n\nthe end` }] } },
  );
  await one.visit('#/s/JSON');
  await page.getByText('the end').waitFor();
  await page.locator('details.tool summary').click();
  await one.visit('#/s/ASKS');
  await page.getByText('Read the request to the end').waitFor();
  await page.evaluate(
    `for (const one of document.querySelectorAll('.question pre, .question-body')) one.scrollTo(0, one.scrollHeight)`,
  );
  await page.getByRole('button', { name: 'Yes', exact: true }).click({ timeout: 10_000 });
  await waitFor(() => one.server.sessions.answers.length === 1, { describe: 'the answer comes' });
  await expectInert(one);
});

test('a conversation, and the input and output of its tools, stays text', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete' }),
  });
  one.server.sessions.happen(
    'JSON',
    { type: 'user', message: { role: 'user', content: EVIL } },
    {
      type: 'assistant',
      message: { content: [{ type: 'text', text: `# ${EVIL}\n\n> ${EVIL}\n\n| a |\n|---|\n| ${LINKS} |\n\n${EVIL}` }] },
    },
    {
      type: 'assistant',
      message: { content: [{ type: 'text', text: `\`\`\`html\n${EVIL}\n\`\`\`\n\n<div>\n${EVIL}\n</div>` }] },
    },
    tool('Edit', { file_path: EVIL, old_string: EVIL, new_string: `${EVIL} new` }),
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: EVIL, is_error: true }] } },
    { type: 'raw', content: EVIL },
    { type: 'error', message: EVIL },
    { type: 'result', is_error: true, result: EVIL },
  );
  await one.visit('#/s/JSON');
  await one.page.locator('.item[data-kind="end"]').waitFor();
  for (const summary of await one.page.locator('summary').all()) await summary.click();
  expect(await one.page.getByText('window.wasHit=1').count()).toBeGreaterThan(8);
  const links = await one.page.locator('.conversation a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
  expect(new Set(links)).toEqual(new Set(['https://evil.example/p.png']));
  await expectInert(one);
});

test('a terminal writes no clipboard, follows no link that runs something, and answers nothing', async () => {
  await using one = await startPage(browser, {
    context: { permissions: ['clipboard-read', 'clipboard-write'] },
    prepare: ({ sessions }) => void sessions.add('TERM'),
  });
  const { page, server } = one;
  await one.visit('#/s/TERM');
  await page.evaluate('navigator.clipboard.writeText("mine")');
  await page.locator('.xterm-screen').waitFor();
  await page.getByRole('button', { name: 'Take the keyboard' }).click();
  const popups: string[] = [];
  one.watched.context.on('page', (opened) => popups.push(opened.url()));
  page.on('dialog', (dialog) => {
    popups.push(dialog.message());
    void dialog.dismiss();
  });
  const recording = server.sessions.stream('TERM');
  const stolen = Buffer.from('stolen').toString('base64');
  recording.write(
    `\u001b]52;c;${stolen}\u0007\u001b]52;c;?\u0007\u001b]0;${IMG}\u0007\u001b]2;${SCRIPT}\u0007` +
      '\u001b[6n\u001b[c\u001b[>c\u001b[?6n\u001b[5n\u001b[21t\u001b[?2004$p\u001bP$qm\u001b\\\u001b]11;?\u0007\u001b[?u\u001b[>q' +
      '\u001b[H\u001b]8;;javascript:window.wasHit=1\u0007CLICK\u001b]8;;\u0007 and the end',
  );
  // Nothing echoes the rest, so only what the person types may be typed.
  const box = await page.locator('.xterm-screen').boundingBox();
  if (box === null) throw new Error('the terminal is not shown');
  await page.mouse.move(box.x + 12, box.y + 8);
  await page.mouse.click(box.x + 12, box.y + 8);
  await page.keyboard.down('Control');
  await page.mouse.click(box.x + 12, box.y + 8);
  await page.keyboard.up('Control');
  await page.keyboard.type('k');
  await waitFor(() => server.sessions.typed.get('TERM') !== undefined, { describe: 'a key arrives' });
  expect(server.sessions.typed.get('TERM')).toBe('k');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('mine');
  expect(popups).toEqual([]);
  expect(await page.title()).not.toContain('<');
  await expectInert(one);
});

test('a terminal is told to scroll, insert and repeat two billion times, and the page keeps working', async () => {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('TERM') });
  const { page, server } = one;
  await one.visit('#/s/TERM');
  await page.locator('.xterm-screen').waitFor();
  await page.getByRole('button', { name: 'Take the keyboard' }).click();
  const counts = [...'STLMbIZ'].map((final) => `x\u001b[2147483647${final}`).join('');
  // The terminal answers nothing until it has drawn all of this, because bracketed paste is set at the end.
  server.sessions.stream('TERM').write(`${counts}\u001b[?2004h`);
  await waitFor(
    async () => {
      await page.evaluate("document.querySelector('.xterm-helper-textarea').focus()");
      await page.evaluate(PASTE);
      return server.sessions.typed.get('TERM')?.includes('\u001b[200~k');
    },
    { describe: 'a paste arrives in brackets' },
  );
  await expectInert(one);
});

test('the network is watched: a request elsewhere would be noticed', async () => {
  const page = await browser.newPage();
  await page.goto('http://evil.example/').catch(() => undefined);
  await page.close();
  expect(requestsElsewhere(browser)).toEqual(['http://evil.example/']);
});
