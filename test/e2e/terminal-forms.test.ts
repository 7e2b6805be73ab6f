import pty, { type IPty } from '@lydell/node-pty';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Question, Session } from '../../src/protocol/index.ts';
import {
  answerAfter,
  answersOf,
  askingArguments,
  askingChooser,
  confirm,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, type CliResult, PROGRAM, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let person: IPty | null = null;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [askingChooser(1_500)] });
  cbos = await startCbos(world);
  const body = { slug: 'EL', path: world.projectDir, type: 'screen', args: askingArguments(world) };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await cbos.untilStatus('EL', 'idle/ready');
  await untilConnected(world, cbos, 'EL');
});
afterEach(() => {
  person?.kill();
  person = null;
});
afterAll(() => world.dispose());

const screen = async (): Promise<string> => (await cbos.cli(['buffer', 'EL'])).stdout;

/** Sends a prompt that makes the server ask, and returns the session with the open form. */
async function ask(scene: string): Promise<Session> {
  const sent = await cbos.cli(['send', 'EL', `scene:${scene}`]);
  expect(sent.code, sent.stderr).toBe(0);
  return cbos.until('EL', (session) => formOf(session) !== undefined, `asks ${scene}`);
}

const answer = (...words: string[]): Promise<CliResult> => cbos.cli(['answer', 'EL', ...words]);
const done = (): Promise<Session> => cbos.untilStatus('EL', 'idle/waiting_input');

/** A person attaches to the session's terminal. */
async function attach(): Promise<void> {
  person = pty.spawn(process.execPath, [PROGRAM, 'attach', 'EL'], { cols: 160, rows: 45, env: world.env });
  await cbos.until('EL', ({ attached }) => attached === true, 'is attached');
}

async function detach(): Promise<void> {
  person?.kill();
  person = null;
  await cbos.until('EL', ({ attached }) => attached === false, 'is detached');
}

describe('an MCP server asks in a terminal session', () => {
  test('the form is a question, and no dialog covers the prompt while nobody is attached', async () => {
    const waiting = await cbos.cli(['send', 'EL', 'scene:form', '--wait']);
    expect(waiting.stdout).not.toContain('over form');
    const session = await cbos.until('EL', (one) => formOf(one) !== undefined, 'asks');
    expect(session.status).toMatchObject({ primary: 'waiting', detail: 'question' });
    expect(session.status.question).toMatchObject({
      kind: 'form',
      text: 'Where should it go?',
      asker: { kind: 'mcp_server', name: 'asking' },
      form: { mode: 'form', fields: [{ name: 'environment' }, { name: 'count' }, { name: 'dry' }, {}, {}] },
    });
    expect(session.status.question?.form).not.toHaveProperty('at_terminal');
    expect((await cbos.cli(['show', 'EL'])).stdout).toContain('cbos answer EL --set environment=…');
    expect(await screen()).not.toContain('requests your input');
    const wrong = await answer('--set', 'environment=mars');
    expect(wrong.stderr).toContain('environment: "mars" is not allowed');
    expect(answersOf(world)).toEqual([]);
  });

  test('a restarted server knows the form, and its answer reaches the MCP server', async () => {
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until('EL', (session) => formOf(session) !== undefined, 'still asks');
    const given = await answer('--set', 'environment=staging', '--set', 'count=3');
    expect(given.code, given.stderr).toBe(0);
    expect(await answerAfter(world, 0)).toEqual({
      action: 'accept',
      content: { environment: 'staging', count: 3, dry: true },
    });
    await done();
  });

  test('no declines it, and an interrupt closes it', async () => {
    for (const [command, action, printed] of [
      [['answer', 'EL', 'no'], 'decline', 'EL: answered\n'],
      [['interrupt', 'EL'], 'cancel', 'EL: the form was closed\n'],
    ] as const) {
      const before = answersOf(world).length;
      await ask('form');
      const given = await cbos.cli(command);
      expect([given.code, given.stdout, given.stderr]).toEqual([0, printed, '']);
      expect(await answerAfter(world, before)).toMatchObject({ action });
      await done();
    }
  });

  test('one choice, and an address, are answered by the number of an option', async () => {
    for (const [scene, number, expected] of [
      ['choice', '1', { action: 'accept', content: { ok: true } }],
      ['address', '1', { action: 'accept' }],
    ] as const) {
      const before = answersOf(world).length;
      await ask(scene);
      const given = await answer(number);
      expect(given.code, given.stderr).toBe(0);
      expect(await answerAfter(world, before)).toMatchObject(expected);
      await done();
    }
  });

  test('a form that the server has cancelled is closed', async () => {
    await ask('cancelled');
    expect((await done()).status.questions).toEqual([]);
  });

  test('a form that its server has left stays open after the turn, reports it, and one command closes it', async () => {
    await ask('silent');
    const left = await cbos.until('EL', (session) => formOf(session)?.form?.left === true, 'has a left form');
    expect(left.status).toMatchObject({ primary: 'waiting', detail: 'question' });
    const shown = (await cbos.cli(['show', 'EL'])).stdout;
    expect(shown).toContain('The call in which the MCP server asking asked has ended');
    expect(shown).toMatch(/cbos answer EL no +# close it/);
    const before = answersOf(world).length;
    const late = await answer('--set', 'environment=staging');
    expect(late).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('The answer comes too late') });
    expect(late.stderr).toContain('cbos answer EL no --question');
    expect(answersOf(world)).toHaveLength(before);
    const given = await answer('no');
    expect(given.code, given.stderr).toBe(0);
    expect((await done()).status.questions).toEqual([]);
    expect(await screen()).not.toContain('requests your input');
  });

  test.each([
    ['form', 'requests your input'],
    ['address', 'wants to open a URL'],
  ])(
    'a person who attaches gets the dialog (%s), and no answer of CBOS touches it until it is closed',
    async (scene, words) => {
      const before = answersOf(world).length;
      const { id } = formOf(await ask(scene)) as Question;
      await attach();
      const shown = await cbos.until('EL', (one) => formOf(one)?.form?.at_terminal === true, 'shows the dialog');
      // The hook reports the dialog before Claude Code draws it.
      await waitFor(async () => (await screen()).includes(words), { describe: 'the dialog is drawn', actual: screen });
      expect(formOf(shown)).toMatchObject({ kind: 'form', id, options: [{ label: 'Close the form', means: 'no' }] });
      expect((await cbos.cli(['show', 'EL'])).stdout).toContain('can be filled in only there');
      const refused = await answer('--set', 'environment=staging');
      expect(refused.code).toBe(4);
      expect(refused.stderr).toContain("The form is open in the session's terminal");
      expect((await answer('1')).code).toBe(4);
      await detach();
      expect((await answer('no')).code).toBe(0);
      expect(await answerAfter(world, before)).toEqual({ action: 'cancel' });
      await done();
    },
  );

  /** A person attaches, accepts the address, and looks on until the turn is over behind the dialog. */
  async function acceptThere(scene: string): Promise<{ form: Question; accepted: Question }> {
    const before = answersOf(world).length;
    const form = formOf(await ask(scene)) as Question;
    await attach();
    await cbos.until('EL', (one) => formOf(one)?.form?.at_terminal === true, 'shows the dialog');
    const watcher = await cbos.watch();
    // The dialog takes no keys in its first moments. Enter on the next one only opens the address again.
    const press = async (): Promise<boolean> => {
      person?.write('\r');
      return waitFor(() => answersOf(world).length > before, { describe: 'the key counts', timeoutMs: 1_500 });
    };
    await waitFor(press, { describe: 'the person accepts' });
    expect(answersOf(world).slice(before)).toEqual([{ action: 'accept' }]);
    await waitFor(async () => (await screen()).includes(`over ${scene}`), { describe: 'the turn is over' });
    const waits = await cbos.until('EL', (one) => formOf(one)?.form?.accepted === true, 'waits for the server');
    expect(waits.status).toMatchObject({ primary: 'waiting', detail: 'question' });
    // The call of the server and the turn have ended behind the dialog, and their hooks are newer than the dialog.
    expect(watcher.statuses('EL').filter((status) => status !== 'waiting/question')).toEqual([]);
    watcher.close();
    return { form, accepted: formOf(waits) as Question };
  }

  test('an address that a person has accepted there waits for its server, and one command ends the waiting', async () => {
    const before = answersOf(world).length;
    const { form, accepted } = await acceptThere('address');
    expect(accepted).toMatchObject({
      asker: { kind: 'mcp_server', name: 'asking' },
      form: { mode: 'url', server: 'asking' },
      options: [{ label: 'Stop waiting for the server', means: 'no' }],
    });
    await detach();
    const shown = (await cbos.cli(['show', 'EL'])).stdout;
    expect(shown).toContain('Claude Code waits until the MCP server asking confirms that the user is done there.');
    expect(shown).toMatch(/cbos answer EL no +# stop waiting for the server/);
    expect((await answer('yes')).code).toBe(4);
    expect((await answer('no', '--question', form.id as string)).stderr).toContain('Another question is open now');
    const given = await answer('no');
    expect(given.code, given.stderr).toBe(0);
    await done();
    expect(await screen()).not.toContain('waiting for completion');
    expect(answersOf(world)).toHaveLength(before + 1);
  });

  test('an address that a person has accepted there waits no longer when its server confirms', async () => {
    await acceptThere('confirmed');
    await detach();
    confirm(world);
    expect((await done()).status.questions).toEqual([]);
  });

  test('a person who is attached when the server asks gets the dialog, and an interrupt closes it', async () => {
    await attach();
    const before = answersOf(world).length;
    await ask('form');
    await cbos.until('EL', (one) => formOf(one)?.form?.at_terminal === true, 'shows the dialog');
    expect(formOf(await cbos.session('EL'))?.form?.fields).toHaveLength(5);
    await detach();
    expect((await cbos.cli(['interrupt', 'EL'])).code).toBe(0);
    expect(await answerAfter(world, before)).toEqual({ action: 'cancel' });
    await done();
  });

  test('a session is parked although its MCP server runs', async () => {
    await waitFor(async () => (await cbos.cli(['park', 'EL'])).code === 0, { describe: 'it is parked' });
  });
});
