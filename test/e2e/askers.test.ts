import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import {
  type AllowedByRule,
  type AlwaysChoices,
  openQuestions,
  type Question,
  type Session,
} from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world);
  json = jsonSessions(world, () => cbos);
});
afterAll(() => world.dispose());

const sceneOf = (name: string, ...replies: Reply[]): Scene => ({ name, about: name, replies });
const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', blocks });
const say = (text: string): Reply => answer({ kind: 'text', text });
const agent = (description: string, prompt: string): Block => ({
  kind: 'tool',
  name: 'Agent',
  input: { description, prompt, subagent_type: 'general-purpose' },
});
const touch = (name: string): Reply =>
  answer({ kind: 'tool', name: 'Bash', input: { command: `touch made-by-${name}` } });

const NAMES = ['one', 'three', 'two'];

/** Three agents, each of which wants to create a file. */
function choose(prompt: string): Scene | null {
  const name = NAMES.find((one) => prompt.includes(`part-${one}`));
  if (name !== undefined) return sceneOf(name, touch(name), say(`${name} is done`));
  if (!prompt.includes('scene:all')) return null;
  return sceneOf('all', answer(...NAMES.map((one) => agent(`write ${one}`, `part-${one}`))), say('They are at it.'));
}

const letAgentsAsk = async (): Promise<Session> => {
  await cbos.cli(['send', 'ALL', 'scene:all', '--queue']);
  return cbos.until('ALL', (one) => asked(one).length === 3, 'all agents ask again');
};

/** Kills Claude Code while agents ask. Resolves when nothing is asked any more. */
async function killWithAgents({ pid }: Session): Promise<Session> {
  process.kill(pid ?? 0, 'SIGKILL');
  return cbos.until('ALL', (one) => asked(one).length === 0, 'nothing is asked any more');
}

const made = (name: string): boolean => existsSync(join(world.projectDir, `made-by-${name}`));
const asked = ({ status }: Session): readonly Question[] => openQuestions(status);
const commandOf = ({ tool }: Question): unknown => (tool?.input as { command?: unknown } | undefined)?.command;
const about = (session: Session, name: string): Question => {
  const found = asked(session).find((question) => commandOf(question) === `touch made-by-${name}`);
  if (found === undefined) throw new Error(`nobody asks for ${name}`);
  return found;
};

describe('agents ask after the turn of a JSON session', () => {
  test('their questions stay open beside each other, and the session waits', async () => {
    await json.create('ALL');
    const sent = await cbos.cli(['send', 'ALL', 'scene:all', '--wait']);
    expect(sent.code, sent.stderr).toBe(0);
    const session = await cbos.until('ALL', (one) => asked(one).length === 3, 'all agents ask');
    await waitFor(async () => (await json.events('ALL')).some(({ event }) => event.type === 'result'), {
      describe: 'the turn is over',
    });
    const now = await cbos.session('ALL');
    expect(now).toMatchObject({
      json_state: 'waiting_permission',
      status: { primary: 'waiting', detail: 'permission' },
    });
    expect(now.status.because.evidence).toContain('an agent (general-purpose) asks while the turn is over');
    expect(asked(now)).toHaveLength(3);
    expect(about(now, 'two').asker).toMatchObject({ kind: 'agent', name: 'general-purpose', about: 'write two' });
    expect(now.status.question).toEqual(asked(session)[0]);
    expect((await cbos.cli(['ls'])).stdout).toContain('(and 2 more)');
  });

  test('a restarted server knows all of them', async () => {
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    const now = await cbos.until('ALL', (one) => asked(one).length > 0, 'the questions are there again');
    expect(asked(now).map(commandOf).toSorted()).toEqual(NAMES.map((name) => `touch made-by-${name}`));
  });

  test('an answer reaches the question that it names, also if another one is older', async () => {
    const before = await cbos.session('ALL');
    const { id } = about(before, 'one');
    const shown = (await cbos.cli(['show', 'ALL'])).stdout;
    expect(shown).toContain('ALL: agent general-purpose (write one) asks for permission:');
    expect(shown).toContain(`cbos answer ALL --question ${id} 1`);
    const given = await cbos.cli(['answer', 'ALL', 'no', '--question', id]);
    expect(given.code, given.stderr).toBe(0);
    const now = await cbos.until('ALL', (one) => asked(one).length === 2, 'two questions are left');
    expect(asked(now).map(commandOf)).not.toContain('touch made-by-one');
    expect((await cbos.cli(['answer', 'ALL', 'no', '--question', id])).code).toBe(4);
  });

  test('one yes answers everything that agents of one type ask', async () => {
    const unknown = await cbos.cli(['answer', 'ALL', 'yes', '--all-of', 'somebody']);
    expect(unknown).toMatchObject({ code: 4 });
    expect(unknown.stderr).toContain('these ask: agent general-purpose (write');
    const given = await cbos.cli(['answer', 'ALL', 'yes', '--all-of', 'general-purpose']);
    expect(given.code, given.stderr).toBe(0);
    await waitFor(() => made('two') && made('three'), { describe: 'both files exist' });
    await cbos.until('ALL', ({ json_state: state }) => state === 'complete', 'is done');
    expect(made('one')).toBe(false);
  });

  test('the earlier answers to each of them are shown, each below its question', async () => {
    await letAgentsAsk();
    const { stdout } = await cbos.cli(['show', 'ALL']);
    const pages = new Map(
      stdout.split(/^(?=ALL: agent )/m).map((page) => [/touch made-by-(\w+)/.exec(page)?.[1], page]),
    );
    const before = NAMES.map((name) => /You .* here/.exec(pages.get(name) ?? '')?.[0]);
    expect(before).toEqual(['You refused this once here', 'You allowed this once here', 'You allowed this once here']);
  });

  test('always is about the question that is named, also if another one is older', async () => {
    const [oldest, other, newest] = asked(await cbos.session('ALL'));
    if (newest === undefined) throw new Error('three questions are open');
    const command = String(commandOf(newest));
    const name = command.replace('touch made-by-', '');
    rmSync(join(world.projectDir, `made-by-${name}`), { force: true });
    const { body } = await cbos.call<AlwaysChoices>('GET', `/sessions/ALL/always?question_id=${newest.id}`);
    expect(body).toMatchObject({ question_id: newest.id, session: expect.stringContaining(command) });
    const given = await cbos.cli([
      'answer',
      'ALL',
      'always',
      '--for',
      'rule',
      '--yes',
      '--question',
      newest.id,
      '--json',
    ]);
    expect(given.code, given.stderr).toBe(0);
    const { rule } = JSON.parse(given.stdout) as AllowedByRule;
    expect(rule.command).toEqual([command]);
    await waitFor(() => made(name), { describe: 'its file exists' });
    expect(asked(await cbos.session('ALL'))).toEqual([oldest, other]);
    await cbos.call('DELETE', `/rules/${rule.id}`);
  });

  test('the end of the process closes its questions, and the session says so', async () => {
    const now = await killWithAgents(await cbos.session('ALL'));
    expect(now.status).toMatchObject({ primary: 'idle', detail: 'error' });
  });

  test('the next prompt gets its own answer, although Claude Code first reports the end of the agents as a turn', async () => {
    const sent = await cbos.cli(['send', 'ALL', 'scene:hello', '--wait']);
    expect(sent).toEqual({ code: 0, stdout: 'Hello! I am ready when you are.\n', stderr: '' });
    await killWithAgents(await letAgentsAsk());
    const invoked = await cbos.cli(['invoke', 'ALL', 'scene:hello']);
    expect(invoked).toEqual({ code: 0, stdout: 'Hello! I am ready when you are.\n', stderr: '' });
  });
});

test('one yes answers all that agents of one type ask in a terminal, in whatever order their dialogs are shown', async () => {
  for (const name of NAMES) rmSync(join(world.projectDir, `made-by-${name}`), { force: true });
  expect((await cbos.cli(['new', 'TERMINAL', world.projectDir])).code).toBe(0);
  await cbos.cli(['send', 'TERMINAL', 'scene:all', '--queue']);
  const session = await cbos.until('TERMINAL', (one) => asked(one).length === 3, 'all agents ask');
  expect(asked(session).filter(({ behind }) => behind === true)).toHaveLength(2);
  const given = await cbos.cli(['answer', 'TERMINAL', 'yes', '--all-of', 'general-purpose']);
  expect(given.code, given.stderr).toBe(0);
  expect(given.stdout.trim().split('\n')).toHaveLength(3);
  await waitFor(() => NAMES.every(made), { describe: 'all files exist' });
});
