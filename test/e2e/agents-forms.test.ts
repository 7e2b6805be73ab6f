import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Block, Reply, Scene } from '../../src/demo/scenes/scene.ts';
import {
  answerAfter,
  answersOf,
  askingArguments,
  askingCall,
  CHOICE,
  formOf,
  untilConnected,
} from '../harness/asking-server.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
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
const AGENT: Block = {
  kind: 'tool',
  name: 'Agent',
  input: { description: 'ask the user', prompt: 'part-asking', subagent_type: 'general-purpose' },
};

/** An agent in the background, whose MCP server asks the user. */
function choose(prompt: string): Scene | null {
  if (prompt.includes('part-asking')) {
    return {
      name: 'asking',
      about: 'asking',
      replies: [answer(askingCall({ ask: CHOICE })), say('The agent is done.')],
    };
  }
  if (!prompt.includes('scene:agent')) return null;
  return { name: 'agent', about: 'agent', replies: [answer(AGENT), say('It is at work.')] };
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
