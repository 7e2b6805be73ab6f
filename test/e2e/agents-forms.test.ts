import pty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import { openQuestions } from '../../src/protocol/index.ts';
import {
  answerAfter,
  answersOf,
  askingArguments,
  askingCall,
  CHOICE,
  confirm,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, PROGRAM, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [choose] });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

const answer = (...blocks: Block[]): Reply => ({ kind: 'answer', blocks });
const say = (text: string): Reply => answer({ kind: 'text', text });
const agent = (prompt: string): Block => ({
  kind: 'tool',
  name: 'Agent',
  input: { description: 'ask the user', prompt, subagent_type: 'general-purpose' },
});
/** How long an agent waits before it asks for permission, so that the dialog of a form is open by then. */
const LATER_MS = 4_000;
const TOUCH: Block = { kind: 'tool', name: 'Bash', input: { command: 'touch made-by-agent' } };

/** An agent in the background, whose MCP server asks the user, or an agent that asks beside such a server. */
function choose(prompt: string): Scene | null {
  if (prompt.includes('part-permission')) {
    const replies = [{ ...answer(TOUCH), firstByteDelayMs: LATER_MS }, say('The agent is done.')];
    return { name: 'permission', about: 'permission', replies };
  }
  if (prompt.includes('scene:beside')) {
    const both = answer(agent('part-permission'), askingCall({ ask: CHOICE }));
    return { name: 'beside', about: 'beside', replies: [both, say('It is over.')] };
  }
  if (prompt.includes('part-touch')) {
    return { name: 'touch', about: 'touch', replies: [answer(TOUCH), say('The agent is done.')] };
  }
  if (prompt.includes('scene:works')) {
    const asks = { ...answer(askingCall({ ask: CHOICE, worksOn: true })), firstByteDelayMs: LATER_MS };
    return { name: 'works', about: 'works', replies: [answer(agent('part-touch')), asks, say('It is over.')] };
  }
  if (prompt.includes('part-asking')) {
    return {
      name: 'asking',
      about: 'asking',
      replies: [answer(askingCall({ ask: CHOICE })), say('The agent is done.')],
    };
  }
  if (!prompt.includes('scene:agent')) return null;
  return { name: 'agent', about: 'agent', replies: [answer(agent('part-asking')), say('It is at work.')] };
}

describe.each(['screen', 'json'])('the MCP server of a background agent in a %s session', (type) => {
  const slug = `AGENT-${type}`;

  test('asks after the turn of its session, and gets the answer', async () => {
    const body = { slug, path: world.projectDir, type, args: askingArguments(world) };
    expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
    await cbos.untilStatus(slug, 'idle/ready');
    if (type === 'screen') await untilConnected(world, cbos, slug);
    expect((await cbos.cli(['send', slug, 'scene:agent'])).code).toBe(0);
    const shown = async () => (await cbos.cli(['buffer', slug])).stdout;
    await waitFor(async () => (await shown()).includes('It is at work.'), {
      describe: 'the turn is over',
      actual: shown,
    });
    const session = await cbos.until(slug, (one) => formOf(one) !== undefined, 'asks');
    expect(session.status).toMatchObject({ primary: 'waiting', detail: 'question' });
    const before = answersOf(world).length;
    expect((await cbos.cli(['answer', slug, '1'])).stderr).toBe('');
    expect(await answerAfter(world, before)).toEqual({ action: 'accept', content: { ok: true } });
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is idle');
  });
});

test('a form that was answered beside the open question of an agent asks no more, although its server still works', async () => {
  const slug = 'AGENT-screen';
  const before = answersOf(world).length;
  expect((await cbos.cli(['send', slug, 'scene:works'])).stderr).toBe('');
  const asking = await cbos.until(slug, (one) => openQuestions(one.status).length === 2, 'has two questions');
  expect(asking.status.questions).toMatchObject([{ kind: 'permission' }, { kind: 'form' }]);
  const form = formOf(asking)?.id ?? '';
  expect((await cbos.cli(['answer', slug, '1', '--question', form])).stderr).toBe('');
  expect(await answerAfter(world, before)).toEqual({ action: 'accept', content: { ok: true } });
  expect(openQuestions((await cbos.session(slug)).status)).toMatchObject([{ kind: 'permission' }]);
  confirm(world);
  expect((await cbos.cli(['answer', slug, 'no'])).stderr).toBe('');
  await cbos.until(slug, (one) => one.status.primary === 'idle', 'is idle');
});

test('a form that comes while a person has the dialog of an agent is an open question behind it', async () => {
  const slug = 'AGENT-screen';
  const person = pty.spawn(process.execPath, [PROGRAM, 'attach', slug], { cols: 160, rows: 45, env: world.env });
  try {
    await cbos.until(slug, ({ attached }) => attached === true, 'is attached');
    expect((await cbos.cli(['send', slug, 'scene:works'])).stderr).toBe('');
    const hasBoth = await cbos.until(slug, (one) => formOf(one)?.behind === true, 'has a form behind');
    expect(hasBoth.status.questions).toMatchObject([{ kind: 'permission' }, { form: { at_terminal: true } }]);
    expect((await cbos.cli(['answer', slug, 'no'])).stderr).toBe('');
    const { id } = formOf(hasBoth) ?? {};
    await cbos.until(slug, ({ status: { question } }) => question?.id === id && !question?.behind, 'shows the form');
    expect((await cbos.cli(['interrupt', slug])).stdout).toBe(`${slug}: the form was closed\n`);
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is idle');
  } finally {
    person.kill();
    await cbos.until(slug, ({ attached }) => attached === false, 'is detached');
  }
});

test('an agent that asks while a person has the dialog of a form is an open question behind it', async () => {
  const slug = 'AGENT-screen';
  const person = pty.spawn(process.execPath, [PROGRAM, 'attach', slug], { cols: 160, rows: 45, env: world.env });
  try {
    await cbos.until(slug, ({ attached }) => attached === true, 'is attached');
    expect((await cbos.cli(['send', slug, 'scene:beside'])).stderr).toBe('');
    const { status } = await cbos.until(slug, (one) => openQuestions(one.status).length === 2, 'has two questions');
    expect(status.questions).toMatchObject([
      { kind: 'form', asker: { kind: 'mcp_server' }, form: { at_terminal: true } },
      { kind: 'permission', asker: { kind: 'agent' }, behind: true },
    ]);
    const early = await cbos.cli(['answer', slug, 'yes', '--question', status.questions?.[1]?.id ?? '']);
    expect(early).toMatchObject({ code: 4, stderr: expect.stringContaining('shows another question') });
    expect((await cbos.cli(['interrupt', slug])).stdout).toBe(`${slug}: the form was closed\n`);
    await cbos.untilStatus(slug, 'waiting/permission');
    expect((await cbos.cli(['answer', slug, 'yes'])).stderr).toBe('');
    await cbos.until(slug, (one) => one.status.primary === 'idle', 'is idle');
  } finally {
    person.kill();
  }
});
