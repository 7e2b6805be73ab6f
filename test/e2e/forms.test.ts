import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Question, Session } from '../../src/protocol/index.ts';
import { ADDRESS, answerAfter, answersOf, askingArguments, askingChooser, formOf } from '../harness/asking-server.ts';
import { type Cbos, type CliResult, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [askingChooser(1_000)] });
  cbos = await startCbos(world);
  await jsonSessions(world, () => cbos).create('EL', { args: askingArguments(world) });
});
afterAll(() => world.dispose());

/** Sends a prompt that makes the server ask, and returns the session with the open form. */
async function ask(scene: string): Promise<Session> {
  const sent = await cbos.cli(['send', 'EL', `scene:${scene}`]);
  expect(sent.code, sent.stderr).toBe(0);
  return cbos.until('EL', (session) => formOf(session) !== undefined, `asks ${scene}`);
}

const answer = (...words: string[]): Promise<CliResult> => cbos.cli(['answer', 'EL', ...words]);
const done = (): Promise<Session> => cbos.until('EL', ({ json_state: state }) => state === 'complete', 'is done');

describe('an MCP server asks in a JSON session', () => {
  test('the form is an open question of its own kind, and nothing says that the turn is done', async () => {
    const waiting = await cbos.cli(['send', 'EL', 'scene:form', '--wait']);
    expect(waiting.stdout).not.toContain('over form');
    const session = await cbos.session('EL');
    expect(session).toMatchObject({
      json_state: 'waiting_permission',
      status: { primary: 'waiting', detail: 'question' },
    });
    expect(session.status.question).toMatchObject({
      kind: 'form',
      text: 'Where should it go?',
      asker: { kind: 'mcp_server', name: 'asking' },
      form: {
        mode: 'form',
        server: 'asking',
        fields: [
          { name: 'environment', type: 'choice', required: true, choices: [{ title: 'Staging' }, {}] },
          { name: 'count', type: 'integer', required: false, default: 2, min: 1, max: 5 },
          { name: 'dry', type: 'boolean', default: true },
          { name: 'owner', type: 'text', format: 'email' },
          { name: 'tags', type: 'choices', max: 2 },
        ],
      },
    });
    const shown = (await cbos.cli(['show', 'EL'])).stdout;
    expect(shown).toContain('EL: MCP server asking asks you to fill in a form:');
    expect(shown).toContain('environment: one of staging (Staging), production (Production); required');
    expect(shown).toContain('count: a whole number from 1 to 5; default: 2');
    expect(shown).toContain('cbos answer EL --set environment=…');
    expect((await cbos.cli(['ls'])).stdout).toContain('MCP server asking: Where should it go?');
  });

  test('a value that the form does not allow is refused, and so is a form without what it requires', async () => {
    const wrong = await answer('--set', 'environment=mars', '--set', 'count=9', '--set', 'size=1');
    expect(wrong.code).toBe(4);
    expect(wrong.stderr).toContain('environment: "mars" is not allowed: it takes one of staging (Staging)');
    expect(wrong.stderr).toContain('count: "9" is not allowed: it takes a whole number from 1 to 5');
    expect(wrong.stderr).toContain('he form has no field size');
    const empty = await answer('yes');
    expect(empty.code).toBe(4);
    expect(empty.stderr).toContain('nvironment is required');
    expect(empty.stderr).toContain('--set environment=');
    expect(answersOf(world)).toEqual([]);
  });

  test('a restarted server knows the form, and its answer reaches the MCP server', async () => {
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until('EL', (session) => formOf(session) !== undefined, 'still asks');
    const given = await answer(
      '--set',
      'environment=Staging',
      '--set',
      'count=3',
      '--set',
      'tags=a',
      '--set',
      'tags=b',
    );
    expect(given.code, given.stderr).toBe(0);
    expect(await answerAfter(world, 0)).toEqual({
      action: 'accept',
      content: { environment: 'staging', count: 3, dry: true, tags: ['a', 'b'] },
    });
    expect((await done()).status.question).toBeNull();
    expect((await answer('no')).stderr).toContain('no open question');
  });

  test('no declines a form, and --cancel closes it', async () => {
    for (const [words, action] of [
      ['no', 'decline'],
      ['--cancel', 'cancel'],
    ] as const) {
      const before = answersOf(world).length;
      await ask('form');
      expect((await answer(words)).code).toBe(0);
      expect(await answerAfter(world, before)).toEqual({ action });
      await done();
    }
  });

  test('a form with one choice is answered by the number of its option', async () => {
    const before = answersOf(world).length;
    const { options } = formOf(await ask('choice')) as Question;
    expect(options.map(({ label }) => label)).toEqual(['Deploy: yes', 'Deploy: no', 'Decline']);
    expect((await answer('2')).code).toBe(0);
    expect(await answerAfter(world, before)).toEqual({ action: 'accept', content: { ok: false } });
    await done();
  });

  test('an address is shown, and accepting it opens nothing', async () => {
    const before = answersOf(world).length;
    const session = await ask('address');
    expect(formOf(session)?.form).toMatchObject({ mode: 'url', url: ADDRESS.url, fields: [] });
    expect((await cbos.cli(['show', 'EL'])).stdout).toContain(`Address: ${ADDRESS.url}`);
    expect((await answer('yes')).code).toBe(0);
    expect(await answerAfter(world, before)).toMatchObject({ action: 'accept' });
    await done();
  });

  test.each(['cancelled', 'silent'])('a form whose server has given up (%s) is closed with the turn', async (scene) => {
    await ask(scene);
    expect((await done()).status.questions).toEqual([]);
  });

  test('an interrupt of the turn closes its form', async () => {
    await ask('form');
    const interrupted = await cbos.cli(['interrupt', 'EL']);
    expect(interrupted.code, interrupted.stderr).toBe(0);
    const now = await cbos.until('EL', (session) => formOf(session) === undefined, 'asks nothing more');
    expect(now.status).toMatchObject({ primary: 'idle', detail: 'waiting_input' });
  });
});
