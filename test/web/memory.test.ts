import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { addAnswer } from '../harness/memory-rules.ts';
import { startPage } from '../harness/page.ts';
import { asking } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('a question shows the earlier answers, and the same answer goes with the identity of the question', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions, approvals, world: { projectDir: folder } }) => {
      for (let count = 0; count < 23; count++)
        addAnswer(approvals, { folder, session: 'A\u202eB', command: 'npm test' });
      addAnswer(approvals, { folder, command: 'git push' });
      addAnswer(approvals, { folder, command: 'git push', said: 'no' });
      sessions.add('ASKS', { ...asking(), path: folder });
    },
  });
  const { page, server } = one;
  const { sessions } = server;
  await one.visit('#/s/ASKS');
  await page.getByText(/^You allowed this 23 times here; last on [-\d]+ [:\d]+ in A\\u202eB$/).waitFor();
  expect(sessions.answers).toEqual([]);
  const again = page.getByRole('button', { name: 'Yes, as before' });
  await page.locator('.memory .choice[aria-disabled="false"]').waitFor();
  await again.click();
  await waitFor(() => sessions.answers.length > 0, { describe: 'the answer' });
  expect(sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);

  // The key gives it too, and only for a question with an answer that was always the same.
  const push = { id: 'q2', tool: { name: 'Bash', input: { command: 'git push' } }, text: 'git push' };
  sessions.change('ASKS', asking(push));
  await page.getByText(/your answers differ$/).waitFor();
  await page.keyboard.press('.');
  expect(await page.locator('.memory .choice').count()).toBe(0);
  sessions.change('ASKS', asking({ id: 'q3' }));
  await page.locator('.memory .choice[aria-disabled="false"]').waitFor();
  await page.keyboard.press('.');
  await waitFor(() => sessions.answers.length > 1, { describe: 'the second answer' });
  expect(sessions.answers.slice(1)).toEqual([{ choice: 'yes', question_id: 'q3' }]);
  expect(one.watched.faults).toEqual([]);
});

test('in the inbox it is offered for one session, and not for several that ask the same', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions, approvals, world: { projectDir: folder } }) => {
      addAnswer(approvals, { folder, command: 'npm test', said: 'no', remark: 'use pnpm' });
      sessions.add('ASKS', { ...asking(), path: folder });
    },
  });
  const { page, server } = one;
  await one.visit('#/inbox');
  await page.locator('.memory .choice[aria-disabled="false"]').waitFor();
  server.sessions.add('OTHER', { ...asking({ id: 'q2' }), path: server.world.project('other') });
  await page.getByText('one answer goes to all 2').waitFor();
  await page.locator('.choices .choice[aria-disabled="false"]').first().waitFor();
  expect(await page.locator('.memory').count()).toBe(0);
  await server.sessions.remove('OTHER');
  await page.locator('.memory .choice[aria-disabled="false"]').waitFor();
  await page.keyboard.press('.');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the answer, after it was held' });
  expect(server.sessions.answers).toEqual([{ choice: 'no', text: 'use pnpm', question_id: 'q1' }]);
  expect(one.watched.faults).toEqual([]);
});
