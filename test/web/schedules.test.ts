import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page adds a schedule after showing its next times, edits, pauses, runs and deletes it, and shows changes by others', async () => {
  await using one = await startPage(await openBrowser(world), {
    context: { timezoneId: 'America/New_York' },
    prepare: ({ sessions }) => void sessions.add('CI'),
  });
  const { page, server } = one;
  const { schedules } = server;
  const only = () => schedules.list()[0];
  await one.visit('#/schedules');
  await page.getByText('No schedules yet').waitFor();

  await page.getByRole('button', { name: 'Add…' }).click();
  await page.getByLabel('Name').fill('NIGHTLY');
  await page.getByLabel('Session', { exact: true }).selectOption('CI');
  await page.getByLabel('Prompt').fill('run the tests');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  const save = page.getByRole('button', { name: 'Save' });
  await page.getByLabel('When').fill('0 7 * *');
  await page.getByText('a pattern needs 5 fields').waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('When').fill('0 7 1 7 *');
  // Seven o'clock in Berlin is one o'clock in New York, the reader's zone.
  await page
    .getByRole('status', { name: 'Next times' })
    .getByText(/07-01 01:00 \(07:00 Europe\/Berlin\)/)
    .nth(4)
    .waitFor();
  expect(schedules.list()).toEqual([]);
  await save.click();
  const card = page.getByRole('region', { name: 'NIGHTLY' });
  await card.getByText(/^Next: \w{3} 20\d\d-07-01 01:00 \(07:00 Europe\/Berlin\)$/).waitFor();
  expect(only()).toMatchObject({ session: 'CI', cron: '0 7 1 7 *', timezone: 'Europe/Berlin', missed: 'skip' });

  await card.getByRole('button', { name: 'Run now' }).click();
  await card.getByText('Last: sent').waitFor();
  const runs = page.getByRole('list', { name: 'Runs of NIGHTLY' });
  await runs.getByText('(by hand)').waitFor();
  expect(await runs.getByRole('link', { name: 'CI' }).getAttribute('href')).toBe('#/s/CI');

  // Somebody else pauses it, in another face.
  schedules.pause('NIGHTLY', true);
  await card.getByText('Paused: no next run until you resume it').waitFor();
  await card.getByRole('button', { name: 'Resume' }).click();
  await waitFor(() => only()?.paused === false, { describe: 'it is resumed', actual: () => only() });

  await card.getByRole('button', { name: 'Edit…' }).click();
  schedules.change('NIGHTLY', { missed: 'run' });
  await page.getByLabel('Prompt').fill('run all tests');
  await save.click();
  await card.getByText('run all tests').waitFor();
  // The fields that the form did not change keep the other person's values.
  expect(only()).toMatchObject({ prompt: 'run all tests', missed: 'run', timezone: 'Europe/Berlin' });

  await page.getByRole('button', { name: 'Add…' }).click();
  await page.getByLabel('Name').fill('EACH');
  await page.getByLabel('Session', { exact: true }).selectOption('A new one for each run');
  await page.getByLabel('Folder', { exact: true }).fill(server.world.projectDir);
  await page.getByLabel('In its own git worktree').check();
  await page.getByLabel('Tags', { exact: true }).fill('night');
  await page.getByLabel('Keep listed').fill('5');
  await page.getByLabel('Prompt').fill('update the dependencies');
  await save.click();
  const each = page.getByRole('region', { name: 'EACH' });
  await each.getByText('a new session EACH-N each time').waitFor();
  await each.getByText('own worktree, #night, 5 stay listed').waitFor();
  expect(schedules.list()[1]).toMatchObject({
    session: null,
    launch: { name: 'EACH', path: server.world.projectDir, worktree: {}, tags: ['night'], keep: 5 },
  });
  schedules.remove('EACH');
  await each.waitFor({ state: 'detached' });

  await card.getByRole('button', { name: 'Webhook…' }).click();
  const webhook = page.getByRole('dialog', { name: 'Webhook of NIGHTLY' });
  await webhook.getByText('No webhook can run this schedule.').waitFor();
  await webhook.getByRole('button', { name: 'Create' }).click();
  await webhook.getByLabel('Secret').waitFor();
  expect(await webhook.getByLabel('Secret').inputValue()).toMatch(/^whsec_/);
  expect(await webhook.getByLabel('Address').inputValue()).toBe(only()?.trigger?.url);
  await webhook.getByRole('button', { name: 'Close' }).click();
  await card.getByText('webhook', { exact: true }).waitFor();
  await card.getByRole('button', { name: 'Webhook…' }).click();
  await webhook.getByLabel('Address').waitFor();
  expect(await webhook.getByLabel('Secret').count()).toBe(0);
  await webhook.getByRole('button', { name: 'Remove' }).click();
  await webhook.getByText('No webhook can run this schedule.').waitFor();
  expect(only()?.trigger).toBe(null);
  await webhook.getByRole('button', { name: 'Close' }).click();

  await card.getByRole('button', { name: 'Delete…' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the schedule NIGHTLY?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(schedules.list()).toHaveLength(1);
  await card.getByRole('button', { name: 'Delete…' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No schedules yet').waitFor();
  expect(schedules.list()).toEqual([]);
  expect(one.watched.faults).toEqual([]);
});
