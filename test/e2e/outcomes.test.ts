import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import {
  attentionOf,
  type Catchup,
  type Explanation,
  type LastResponse,
  type Session,
  type StatusChange,
} from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { typeAtTerminal } from '../harness/claude-in-screen.ts';
import { waitFor } from '../harness/wait-for.ts';

/** An answer that is longer than what CBOS keeps of a hook's report. */
const LONG_ANSWER = Array.from({ length: 150 }, (_, line) => `line ${line + 1} of a long text in words`).join('\n\n');
/** Claude Code draws this answer in the colour of an error. */
const ERROR_LIKE = 'API Error: 529 is what the log contains. The *next* line is harmless.';
const quoting: ChooseScene = (prompt) =>
  prompt.includes('quote the log')
    ? {
        name: 'quoting',
        about: 'an answer that looks like an error',
        replies: [{ kind: 'answer', firstByteDelayMs: 100, blocks: [{ kind: 'text', text: ERROR_LIKE }] }],
      }
    : null;
const atLength: ChooseScene = (prompt) =>
  prompt.includes('at length')
    ? {
        name: 'at-length',
        about: 'a long answer',
        replies: [
          { kind: 'answer', firstByteDelayMs: 100, blocks: [{ kind: 'text', text: LONG_ANSWER, chunkDelayMs: 1 }] },
        ],
      }
    : null;

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [atLength, quoting] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

async function launch(slug: string, type: 'screen' | 'json', more: object = {}): Promise<void> {
  const body = { slug, type, path: world.projectDir, permission_mode: 'default', ...more };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
}

const sendAndWait = (slug: string, text: string) => cbos.cli(['send', slug, '--wait', text]);

const readsAsError = async (slug: string): Promise<boolean> => {
  const { body } = await cbos.call<Explanation>('GET', `/sessions/${slug}/explain`);
  return body.verdicts.some(({ rule }) => rule === 'screen.prompt.error-colour');
};

describe.each([
  ['in a terminal', 'screen', 'TERMINAL'],
  ['as a JSON session', 'json', 'JSON'],
] as const)('the outcome of a turn, %s:', (_, type, slug) => {
  beforeAll(() => launch(slug, type));

  test('a turn that fails ends every command that waits for it with the error', async () => {
    const sent = await sendAndWait(slug, 'A scene:fail');
    expect(sent).toMatchObject({ code: 1, stdout: '' });
    expect(sent.stderr).toContain(`The turn of ${slug} failed: `);
    expect(sent.stderr).toContain('The scene refuses this request');
    const waited = await cbos.cli(['wait', slug]);
    expect(waited.code).toBe(1);
    expect(waited.stderr).toContain('The scene refuses this request');
  });

  test('a slash command after a turn that failed is not blamed for it', async () => {
    expect((await cbos.session(slug)).status.detail).toBe('error');
    const command = type === 'json' ? '/cost' : `/cd ${world.projectDir}`;
    const sent = await cbos.cli(['send', slug, '--wait', '--command', command]);
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(sent.stdout).toContain(type === 'json' ? 'Estimated cost:' : world.projectDir);
  });

  test.runIf(type === 'screen')('a slash command that is not carried out fails, and changes no status', async () => {
    for (const before of ['A scene:fail', 'A scene:hello']) {
      await sendAndWait(slug, before);
      const { status } = await cbos.session(slug);
      for (const command of ['/nonsense', '/nonsense', '/privacy-settings']) {
        const sent = await cbos.cli(['send', slug, '--wait', '--command', command]);
        expect(sent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(command) });
        expect((await cbos.session(slug)).status).toMatchObject({ detail: status.detail, because: status.because });
      }
      expect((await cbos.cli(['wait', slug])).code).toBe(1);
    }
    expect((await cbos.cli(['send', slug, '--wait', '--command', '/rename known'])).code).toBe(0);
    expect((await cbos.cli(['wait', slug])).code).toBe(0);
  });

  test('a turn that is interrupted has failed, and prints no earlier answer', async () => {
    expect(await sendAndWait(slug, 'B scene:hello')).toMatchObject({
      code: 0,
      stdout: 'Hello! I am ready when you are.\n',
    });
    const sending = sendAndWait(slug, 'C scene:long');
    await cbos.untilStatus(slug, 'active/responding');
    expect((await cbos.cli(['interrupt', slug])).code).toBe(0);
    const sent = await sending;
    expect(sent).toMatchObject({ code: 1, stdout: '' });
    const words = `The turn of ${slug} was interrupted`;
    expect(sent.stderr).toContain(words);
    for (const more of [[], ['--for', 'done']]) {
      const waited = await cbos.cli(['wait', slug, ...more]);
      expect(waited).toMatchObject({ code: 1, stderr: expect.stringContaining(words) });
    }
    expect((await cbos.cli(['ls'])).stdout).toMatch(new RegExp(`✗ +${slug} +interrupted`));
    expect((await cbos.cli(['show', slug])).stdout).toContain(`${slug}  interrupted for`);
    expect(attentionOf(await cbos.session(slug))).toBe('done');
    expect((await cbos.call<StatusChange[]>('GET', `/sessions/${slug}/history`)).body.at(-1)).toMatchObject({
      detail: 'waiting_input',
      interrupted: true,
    });
    const caughtUp = (await cbos.call<Catchup>('GET', '/catchup?since=2026-01-01T00:00:00Z')).body;
    const happened = caughtUp.sessions.find(({ session }) => session === slug);
    const kinds = happened?.events.map(({ kind }) => kind) ?? [];
    expect(kinds.at(-1)).toBe('interrupted');
    expect(happened?.finished).toBe(kinds.filter((kind) => kind === 'finished').length);
  });

  test('a turn that is interrupted before its first answer is interrupted until the next one', async () => {
    const sending = sendAndWait(slug, 'E scene:silent');
    await cbos.untilStatus(slug, 'active/thinking');
    expect((await cbos.cli(['interrupt', slug])).code).toBe(0);
    expect(await sending).toMatchObject({ code: 1, stdout: '' });
    expect((await cbos.cli(['wait', slug])).code).toBe(1);
    const command = type === 'json' ? '/cost' : '/rename interrupted';
    expect(await cbos.cli(['send', slug, '--wait', '--command', command])).toMatchObject({ code: 0 });
    for (const state of ['waiting', 'done']) {
      expect(await cbos.cli(['wait', slug, '--for', state])).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await sendAndWait(slug, 'F scene:hello')).code).toBe(0);
    expect((await cbos.cli(['wait', slug])).code).toBe(0);
    expect((await cbos.session(slug)).status.interrupted).toBeUndefined();
  });

  test('an answer that begins like an error is an answer', async () => {
    expect(await sendAndWait(slug, 'quote the log')).toEqual({ code: 0, stdout: `${ERROR_LIKE}\n`, stderr: '' });
    if (type === 'screen') await waitFor(() => readsAsError(slug), { describe: 'the screen looks like an error' });
    expect(await cbos.cli(['wait', slug])).toMatchObject({ code: 0, stderr: '' });
    expect((await cbos.session(slug)).status.detail).toBe('waiting_input');
  });

  test('a long answer is printed as a whole', async () => {
    expect(await sendAndWait(slug, 'explain it at length')).toEqual({
      code: 0,
      stdout: `${LONG_ANSWER}\n`,
      stderr: '',
    });
  });

  test.runIf(type === 'screen')('a prompt that is held is waited for until its own turn is over', async () => {
    const screenId = (await cbos.session(slug)).screen_id ?? '';
    await typeAtTerminal(world.env, screenId, 'a draft of a person');
    const hasDraft = ({ buffer_tail }: Session): boolean => buffer_tail?.includes('a draft of a person') === true;
    await cbos.until(slug, hasDraft, 'has a draft in its prompt');
    const sending = cbos.cli(['send', slug, '--queue', '--wait', 'G scene:hello']);
    await cbos.until(slug, ({ status }) => status.unchanged_ms > 6_000, 'looks ready for seconds');
    await typeAtTerminal(world.env, screenId, '\x15');
    expect(await sending).toEqual({
      code: 0,
      stdout: 'Hello! I am ready when you are.\n',
      stderr: expect.stringContaining(`cbos: ${slug}: queued; CBOS sends it as soon as the session is ready\n`),
    });
  });

  test('a slash command prints what it shows in the conversation, and no earlier answer', async () => {
    expect(await sendAndWait(slug, 'D scene:hello')).toMatchObject({
      code: 0,
      stdout: 'Hello! I am ready when you are.\n',
    });
    const sent = await cbos.cli(['send', slug, '--wait', '--command', '/cost']);
    expect(sent.code).toBe(0);
    if (type === 'json') expect(sent.stdout).toContain('Estimated cost:');
    else expect(sent).toMatchObject({ stdout: '', stderr: expect.stringContaining(`cbos buffer ${slug}`) });
    if (type === 'json') return;
    expect((await cbos.cli(['interrupt', slug])).code).toBe(0);
    const renamed = await cbos.cli(['send', slug, '--wait', '--command', '/rename login']);
    expect(renamed).toEqual({ code: 0, stdout: 'Session renamed to: login\n', stderr: '' });
    const context = await cbos.cli(['send', slug, '--wait', '--command', '/context']);
    expect([context.code, context.stdout]).toEqual([0, expect.stringContaining('Context')]);
  });
});

test('a slash command that a JSON session does not have fails, and the session is not shown as failed', async () => {
  await launch('NOEXIT', 'json');
  expect((await sendAndWait('NOEXIT', 'scene:hello')).code).toBe(0);
  const sent = await cbos.cli(['send', 'NOEXIT', '--wait', '--command', '--', '/exit']);
  expect(sent).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining("/exit isn't available") });
  expect((await cbos.cli(['wait', 'NOEXIT'])).code).toBe(1);
  expect((await cbos.session('NOEXIT')).status.detail).toBe('waiting_input');
  expect((await sendAndWait('NOEXIT', 'scene:hello')).code).toBe(0);
  expect((await cbos.cli(['wait', 'NOEXIT'])).code).toBe(0);
});

test.each([
  ['in a terminal', 'screen', 'FRESH'],
  ['as a JSON session', 'json', 'FRESHJSON'],
] as const)('a wait ends after a slash command that leaves the conversation empty, %s', async (_, type, slug) => {
  await launch(slug, type);
  expect((await cbos.cli(['wait', slug, '--timeout', '5'])).code).toBe(6);
  for (const command of ['/rename fresh', '/clear']) {
    expect((await cbos.cli(['send', slug, '--command', command])).code).toBe(0);
    for (const more of [[], ['--for', 'done']]) {
      expect(await cbos.cli(['wait', slug, '--timeout', '30', ...more])).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await sendAndWait(slug, 'scene:hello')).code).toBe(0);
  }
});

describe('a JSON session whose own limit ends a turn', () => {
  test.each([
    ['BUDGET', { max_budget_usd: 0.00001 }, 'scene:hello', 'Hello! I am ready when you are.', 'Reached maximum budget'],
    [
      'TURNS',
      { args: ['--max-turns', '1'] },
      'scene:tools',
      'I will run the checks.',
      'Reached maximum number of turns',
    ],
  ])('%s keeps the answer, with the error', async (slug, limits, scene, answer, error) => {
    await launch(slug, 'json', limits);
    const sent = await sendAndWait(slug, scene);
    expect(sent).toMatchObject({ code: 1, stdout: `${answer}\n` });
    expect(sent.stderr).toContain(`The turn of ${slug} failed: ${error}`);
    const { body } = await cbos.call<LastResponse>('GET', `/sessions/${slug}/last-response`);
    expect(body).toMatchObject({ text: answer, error: expect.stringContaining(error) });
  });
});
