import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import {
  answerAfter,
  answersOf,
  askingArguments,
  askingChooser,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { openBrowser, openPage } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { startNtfy } from '../harness/ntfy-server.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { startWebhook } from '../harness/webhook-server.ts';

/** A JSON session and a terminal session, whose forms are answered in the faces that show the forms of all sessions. */
let world: ClaudeWorld;
let cbos: Cbos;
let terminal: Terminal;
const TYPES = { JSON: 'json', TERM: 'screen' } as const;
type Slug = keyof typeof TYPES;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [askingChooser(1_000)] });
  cbos = await startCbos(world);
  for (const [slug, type] of Object.entries(TYPES)) {
    const body = { slug, path: world.projectDir, type, args: askingArguments(world) };
    expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  }
  for (const slug of Object.keys(TYPES)) await cbos.untilStatus(slug, 'idle/ready');
  await untilConnected(world, cbos, 'TERM');
});
afterAll(() => world.dispose());

/** Makes the server of a session ask, and returns the session with the open form. */
async function ask(slug: Slug, scene: string): Promise<Session> {
  const sent = await cbos.cli(['send', slug, `scene:${scene}`]);
  expect(sent.code, sent.stderr).toBe(0);
  return cbos.until(slug, (session) => formOf(session) !== undefined, `asks ${scene}`);
}
const isDone = (slug: Slug): Promise<Session> => cbos.untilStatus(slug, 'idle/waiting_input');

const ACCEPTED = { action: 'accept', content: { environment: 'staging', count: 3, dry: true } };

describe('the inbox shows the forms of all sessions', () => {
  test('in the terminal UI, where s opens the fields, and n declines', async () => {
    terminal = await openTerminal(world, { cols: 120, rows: 40, env: { CBOS_PORT: new URL(cbos.url).port } });
    await terminal.until(/TERM[\s\S]*JSON[\s\S]*q quit/, 'the sessions');
    await terminal.keys('I');
    for (const [slug, other] of [
      ['TERM', 'JSON'],
      ['JSON', 'TERM'],
    ] as const) {
      const before = answersOf(world).length;
      await ask(slug, 'form');
      const card = await terminal.until(/Inbox: one question[\s\S]*s fill in/, 'the form, whose keys work');
      expect(card).toMatch(
        new RegExp(`${slug} in [\\s\\S]*asked by its MCP server asking[\\s\\S]*Where should it go\\?`),
      );
      expect((await cbos.cli(['ls'])).stdout).toContain('MCP server asking: Where should it go?');
      await ask(other, 'choice');
      await terminal.until(/Inbox: 2 questions/, 'that another one waits');
      await terminal.keys('1');
      await terminal.until(/No number answers this form/, 'why a number does nothing');
      await terminal.keys('s');
      await terminal.until(/required; one of staging \(Staging\)/, 'the fields');
      await terminal.keys('staging', 'Down', 'BSpace', '9', 'Enter');
      await terminal.until(/"9" is not allowed/, 'what is wrong');
      await terminal.keys('BSpace', '3', 'Enter');
      expect(await answerAfter(world, before)).toEqual(ACCEPTED);
      await terminal.until(
        new RegExp(`Inbox: one question[\\s\\S]*${other} in [\\s\\S]*Deploy it\\?[\\s\\S]*1-3 choose`),
        'the next one',
      );
      await terminal.keys(slug === 'TERM' ? '1' : 'n');
      expect(await answerAfter(world, before + 1)).toEqual(
        slug === 'TERM' ? { action: 'accept', content: { ok: true } } : { action: 'decline' },
      );
      await terminal.until(/No session has a question/, 'an empty inbox');
      await isDone(slug);
      await isDone(other);
    }
    await terminal.keys('Escape', 'q');
  });

  test('on the page, where a wrong value is reported and the fields stay', async () => {
    const watched = await openPage(await openBrowser(world), { origin: cbos.url });
    const { page } = watched;
    const { stdout } = await cbos.cli(['open', '--json'], { env: { CBOS_PORT: new URL(cbos.url).port } });
    await page.goto((JSON.parse(stdout) as { url: string }).url);
    await page.locator('.shell:not(.is-stale)').waitFor();
    await page.goto(`${cbos.url}/#/inbox`);
    await page.getByText('No session has a question.').waitFor();
    for (const [slug, wrong] of [
      ['TERM', '9'],
      ['JSON', '8'],
    ] as const) {
      const before = answersOf(world).length;
      await ask(slug, 'form');
      const card = page.getByRole('article', { name: slug });
      await card.getByText('MCP server asking').waitFor();
      await card.getByText('Where should it go?').waitFor();
      await card.getByRole('radio', { name: 'Staging' }).check();
      await card.getByRole('textbox', { name: 'count' }).fill(wrong);
      const accept = card.getByRole('button', { name: 'Accept', exact: true });
      await accept.and(card.locator('[aria-disabled=false]')).click();
      await page.getByText(`"${wrong}" is not allowed`).waitFor();
      await card.getByRole('textbox', { name: 'count' }).fill('3');
      await accept.click();
      expect(await answerAfter(world, before)).toEqual(ACCEPTED);
      await page.getByText('No session has a question.').waitFor();
      await isDone(slug);
      await ask(slug, 'form');
      await card.getByRole('button', { name: 'Decline' }).and(card.locator('[aria-disabled=false]')).click();
      expect(await answerAfter(world, before + 1)).toEqual({ action: 'decline' });
      await page.getByText('No session has a question.').waitFor();
      await isDone(slug);
    }
    expect(watched.faults).toEqual([]);
    await watched.context.close();
  });
});

/** A signing secret of 32 bytes. */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

test('a sink has a button for each value of a form with one choice, and says where to fill in other forms', async () => {
  await using ntfy = await startNtfy();
  await using webhook = await startWebhook({ secret: SECRET });
  const atOnce = { after_s: 0, away_s: 0, answers: true };
  for (const sink of [
    { kind: 'ntfy', name: 'phone', url: ntfy.url, topic: 'forms', ...atOnce },
    { kind: 'webhook', name: 'program', url: webhook.url, secret: SECRET, ...atOnce },
  ])
    expect((await cbos.call('POST', '/sinks', sink)).error).toBeNull();
  await waitFor(() => ntfy.subscribers() === 1, { describe: 'CBOS waits for presses' });
  const shown = () => ntfy.shown('forms').at(-1);
  const onPhone = () => waitFor(shown, { describe: 'the phone shows the form', actual: () => ntfy.events });
  for (const slug of ['JSON', 'TERM'] as const) {
    const before = answersOf(world).length;
    await ask(slug, 'choice');
    const { title, message, actions = [] } = await onPhone();
    expect(title).toBe(`${slug} asks`);
    expect(message).toMatch(/Asked by its MCP server asking:\nDeploy it\?/);
    expect(actions.map(({ label }) => label)).toEqual(['Deploy: yes', 'Deploy: no', 'Decline']);
    await ntfy.press(actions[1]);
    expect(await answerAfter(world, before)).toEqual({ action: 'accept', content: { ok: false } });
    await waitFor(() => shown() === undefined, { describe: 'the phone shows nothing more' });
    await isDone(slug);

    await ask(slug, 'form');
    const form = await onPhone();
    expect(form.message).toContain(`To fill in this form, open CBOS, or see \`cbos show ${slug}\``);
    expect(form.actions?.map(({ label }) => label)).toEqual(['Decline']);
    await ntfy.press(form.actions?.[0]);
    expect(await answerAfter(world, before + 1)).toEqual({ action: 'decline' });
    await isDone(slug);

    webhook.answer = '1';
    expect((await cbos.cli(['send', slug, 'scene:choice'])).stderr).toBe('');
    expect(await answerAfter(world, before + 2)).toEqual({ action: 'accept', content: { ok: true } });
    webhook.answer = null;
    await waitFor(() => shown() === undefined, { describe: 'the phone shows nothing more' });
    await isDone(slug);
  }
  for (const name of ['phone', 'program']) await cbos.call('DELETE', `/sinks/${name}`);
});
