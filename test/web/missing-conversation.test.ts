import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { someSession } from '../harness/some-session.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page says that a conversation is gone, and begins a new one only after a question', async () => {
  const missing = '0191d2f0-0000-7000-8000-000000000000';
  const { status } = someSession('GONE');
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) =>
      void sessions.add('GONE', {
        state: 'dead',
        status: { ...status, primary: 'dead', detail: null },
        missing_conversation: missing,
      }),
  });
  const { page, server } = one;
  await one.visit('#/s/GONE');
  const notice = page.getByRole('status').filter({ hasText: `Claude Code has no transcript ${missing}` });
  await notice.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Claude Code has no such conversation').first().waitFor();
  await notice.getByRole('button', { name: 'Begin a new conversation…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Begin a new conversation in GONE?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(server.sessions.get('GONE').state).toBe('dead');
  await notice.getByRole('button', { name: 'Begin a new conversation…' }).click();
  await dialog.locator('button[type=submit]:not([aria-disabled=true])').click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('GONE begins a new conversation').waitFor();
  await notice.waitFor({ state: 'detached' });
  expect(server.sessions.get('GONE').state).toBe('idle');
  expect(one.watched.faults).toEqual([]);
});

test('the page says that Claude Code has begun another conversation, and keeps that one only after a question', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) =>
      void sessions.add('OTHER', { missing_conversation: 'its-own', other_conversation: 'the-new-one' }),
  });
  const { page } = one;
  await one.visit('#/s/OTHER');
  const notice = page.getByRole('status').filter({ hasText: 'its conversation its-own was not continued' });
  await notice.getByRole('button', { name: 'Keep the new conversation…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep the new conversation of OTHER?' });
  await dialog.getByText('prompts that CBOS holds are sent into it').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await notice.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(one.watched.faults).toEqual([]);
});

test('the page names the other session that has the conversation open', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => void sessions.add('SHARED', { also_open_in: 'OTHER' }),
  });
  await one.visit('#/s/SHARED');
  await one.page.getByRole('status').filter({ hasText: 'its conversation is also open in OTHER' }).waitFor();
  expect(one.watched.faults).toEqual([]);
});
