import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { asking } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page offers how far a yes may reach, shows the rule, and saves it with the yes', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions, world: { projectDir } }) => void sessions.add('ASKS', { ...asking(), path: projectDir }),
  });
  const { page, server } = one;
  await one.visit('#/s/ASKS');
  const always = page.getByRole('button', { name: 'Always…' });
  await page.locator('.choice[aria-disabled="false"]').first().waitFor();
  await always.click();
  const dialog = page.getByRole('dialog', { name: 'Always allow this in ASKS' });
  await dialog.getByRole('region', { name: 'For this session' }).getByText('npm test').waitFor();
  const rule = dialog.getByRole('region', { name: 'As a CBOS rule' });
  expect(await rule.locator('pre').textContent()).toContain('command = [ "npm test" ]');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(server.rules.added()).toEqual([]);
  expect(server.sessions.answers).toEqual([]);
  await always.click();
  await rule.getByRole('button', { name: 'Save the rule, and answer yes' }).click();
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the yes' });
  expect(server.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
  expect(server.rules.added()).toMatchObject([{ fields: { command: ['npm test'] } }]);
  expect(one.watched.faults).toEqual([]);
});
