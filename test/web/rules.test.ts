import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Rule } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { addAnswer, addDecision } from '../harness/memory-rules.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let one: PageUnderTest;
let folder: string;
beforeAll(async () => {
  one = await startPage(await openBrowser(world));
  folder = one.server.world.project('ruled');
  one.server.sessions.add('AUTH', { path: folder });
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await world.dispose();
});

const EVIL = '\u001b[2J\u202e<img src=x onerror="window.wasHit=1">';
const decide = (input: unknown, rules: readonly Rule[] = []): number =>
  addDecision(one.server.approvals, { input, rules });
const projectFile = (text: string): void => {
  mkdirSync(join(folder, '.cbos'), { recursive: true });
  writeFileSync(join(folder, '.cbos/rules.toml'), text);
};

test('rules are shown with their remaining time and count, live, and one that was added is removed there', async () => {
  const { page, server } = one;
  await one.visit('#/rules');
  await page.getByText('There are no rules').waitFor();
  await server.call('/rules', { body: { effect: 'allow', command: 'npm test', only: 'AUTH', count: 3, note: EVIL } });
  await page.getByText('for AUTH only · 3 of 3 calls left · never used').waitFor();
  const { rules } = (await server.call('/rules')).json() as { rules: Rule[] };
  decide({ command: 'npm test' }, rules);
  await page.getByText('2 of 3 calls left · used once').waitFor();
  expect(await page.getByText('\\u202e<img').count()).toBe(1);
  await page.getByRole('button', { name: /^Remove rule/ }).click();
  await page.getByText('There are no rules').waitFor();
  expect(server.rules.added()).toEqual([]);
});

test('a rule that never matches is marked with the reason and the rule that would match', async () => {
  const { page, server } = one;
  const file = join(server.world.cbosHome, 'rules.toml');
  writeFileSync(file, '[[deny]]\ncommand = "make 2>&1"\n');
  await one.visit('#/');
  await one.visit('#/rules');
  const list = page.getByRole('list', { name: 'Rules' });
  await list.getByText(/never matches: make 2>&1: .*Instead: command = "make"/).waitFor();
  rmSync(file);
  await one.visit('#/');
  await one.visit('#/rules');
  await page.getByText('There are no rules').waitFor();
});

test('a suggestion is shown with its evidence, and becomes a rule with one click', async () => {
  const { page, server } = one;
  for (const command of ['npm test', 'npm test', 'npm test | tail'])
    addAnswer(server.approvals, { session: EVIL, folder, command });
  await one.visit('#/');
  await one.visit('#/rules');
  await page.getByText('It would have allowed nothing else that was requested.').waitFor();
  await page.getByText(/allowed 3 times, never refused, in .*\\u202e<img/).waitFor();
  expect(server.rules.added()).toEqual([]);
  await page.getByRole('button', { name: 'Add this rule' }).click();
  await page.getByText(`in ${folder} · never used`).waitFor();
  expect(server.rules.added()).toMatchObject([{ effect: 'allow', fields: { command: 'npm test', project: folder } }]);
  await page.getByRole('button', { name: 'Add this rule' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Remove rule/ }).click();
  await page.getByText('There are no rules').waitFor();
});

test("a project's file is trusted after it was read to its end, and only as it was read", async () => {
  const { page, server } = one;
  // A control character in a comment is not valid TOML.
  const long = EVIL.replace('\u001b', '');
  projectFile(`# ${long}\n${'# a line\n'.repeat(200)}[[deny]]\ncommand = "npm publish"\n`);
  await one.visit('#/');
  await one.visit('#/rules');
  await page.getByText('not trusted').waitFor();
  await page.getByRole('button', { name: 'Read it' }).click();
  const trust = page.getByRole('button', { name: 'Trust these rules' });
  expect(await trust.isDisabled()).toBe(true);
  expect(await page.locator('.rule-content').textContent()).toContain('# [2J\\u202e<img');
  const toEnd = (): Promise<unknown> =>
    page.locator('.rule-content').evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
  await toEnd();
  await waitFor(() => trust.isEnabled(), { describe: 'it was read' });
  // Only the content that was read is trusted. Here the file changes before the click.
  projectFile('[[deny]]\ntool = "X"\n');
  await trust.click();
  await page.getByText('has changed since it was read').first().waitFor();
  expect(server.rules.trusted()).toEqual([]);
  await one.visit('#/');
  await one.visit('#/rules');
  await page.getByRole('button', { name: 'Read it' }).click();
  await page.getByText('tool = "X"').waitFor();
  await waitFor(() => trust.isEnabled(), { describe: 'the short file is read' });
  await trust.click();
  await page.getByText('in effect').waitFor();
  expect(server.rules.trusted()).toMatchObject([{ content: '[[deny]]\ntool = "X"\n' }]);
  await page.getByRole('button', { name: 'Stop trusting' }).click();
  await page.getByText('not trusted').waitFor();
  expect(server.rules.trusted()).toEqual([]);
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
});

test('the audit shows each decision in full, with its place, live; 10,000 of them are paged', async () => {
  const { page } = one;
  for (let count = 0; count < 10_000; count++) decide({ command: `npm run step-${count}` });
  await one.visit('#/audit');
  await page.getByText('npm run step-9999').waitFor();
  expect(await page.locator('.audit > li').count()).toBe(50);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('npm run step-9900').waitFor();
  expect(await page.locator('.audit > li').count()).toBe(100);
  const id = decide({ command: `echo ${EVIL}\n${'x'.repeat(5_000)} the end` });
  await page.getByText('\\u202e<img').first().click();
  await page.getByText(/x the end$/).waitFor();
  const link = page.getByRole('link', { name: 'Show that moment' });
  expect(await link.getAttribute('href')).toBe('#/s/AUTH/replay?offset=3');
  await page.getByText(`number ${id}`).waitFor();
  await page.getByRole('button', { name: 'Only AUTH' }).click();
  await page.getByText('Audit of AUTH').waitFor();
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(one.watched.faults).toEqual([]);
});
