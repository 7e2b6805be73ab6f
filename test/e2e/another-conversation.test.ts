import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import {
  type ConversationWrapper,
  type WrapperWay,
  writeConversationWrapper,
} from '../harness/conversation-wrapper.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
let wrapper: ConversationWrapper;
const wrap = (how: WrapperWay): void => wrapper.wrap(how);

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', projects: ['other'] });
  wrapper = writeConversationWrapper(world);
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: wrapper.command, CBOS_JSON_IDLE_TIMEOUT: '1' });
  kept = keptConversations(world, () => cbos);
});
beforeEach(() => wrap('passes'));
afterEach(() => kept.clear());
afterAll(() => world.dispose());

const here = () => ({ path: join(world.dir, 'other') });
const untilOther = (slug: string) =>
  cbos.until(slug, (one) => one.other_conversation !== undefined, 'shows that another conversation began');
const queue = async (slug: string, text: string): Promise<Delivery> => {
  const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, queue: true });
  expect([sent.error, sent.body.status]).toEqual([null, 'queued']);
  return sent.body;
};
const statusOf = async (slug: string, { id }: Delivery) =>
  (await cbos.call<Delivery>('GET', `/sessions/${slug}/deliveries/${id}`)).body.status;

describe('if Claude Code begins another conversation instead of continuing the right one', () => {
  test.each(['drops', 'renames'] as const)(
    'after a restart, every face reports it, no prompt is sent, and the next restart tries again: the wrapper %s --resume',
    async (how) => {
      await kept.begin('AGAIN', here());
      const { claude_session_id: id } = await cbos.session('AGAIN');
      await cbos.cli(['stop', 'AGAIN']);
      wrap(how);
      expect((await cbos.cli(['restart', 'AGAIN'])).stdout).toBe('AGAIN restarted; resuming its conversation\n');
      const other = await untilOther('AGAIN');
      expect(other).toMatchObject({ claude_session_id: id, missing_conversation: id });
      expect((await cbos.cli(['show', 'AGAIN'])).stdout).toContain('was not continued');
      const listed = await cbos.cli(['ls']);
      expect(listed.stdout).toMatch(/✗ +AGAIN +wrong conversation .* was not continued/);
      for (const more of [[], ['--force']]) {
        const refused = await cbos.cli(['send', 'AGAIN', 'scene:hello into nothing', ...more]);
        expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has begun another one')]);
        expect(refused.stderr).toContain('cbos restart AGAIN --new-conversation');
      }
      const queued = await queue('AGAIN', `scene:hello later, ${how}`);
      await cbos.cli(['stop', 'AGAIN']);
      expect(world.promptsReceived()).not.toContain(`scene:hello later, ${how}`);
      wrap('passes');
      await cbos.cli(['restart', 'AGAIN']);
      await kept.ask('AGAIN', 'scene:hello again');
      expect(kept.remembers('AGAIN')).toBe(true);
      expect(await cbos.session('AGAIN')).not.toHaveProperty('missing_conversation');
      expect(await statusOf('AGAIN', queued)).not.toBe('queued');
      expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    },
  );

  test('a parked session that a prompt wakes refuses the prompt; on request it keeps the new conversation', async () => {
    await kept.begin('WOKEN', here());
    expect((await cbos.cli(['park', 'WOKEN'])).stderr).toBe('');
    wrap('drops');
    const refused = await cbos.cli(['send', 'WOKEN', 'scene:hello into nothing']);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has begun another one')]);
    await queue('WOKEN', 'scene:hello at last');
    const { other_conversation: other } = await untilOther('WOKEN');
    const anew = await cbos.cli(['restart', 'WOKEN', '--new-conversation']);
    expect([anew.code, anew.stderr]).toEqual([0, '']);
    await waitFor(() => world.promptsReceived().includes('scene:hello at last'), { describe: 'the prompt is sent' });
    expect(kept.remembers('WOKEN')).toBe(false);
    expect(await cbos.session('WOKEN')).toMatchObject({ claude_session_id: other });
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
  });

  test('a JSON session refuses the prompt, keeps a queued one, and continues with the next process', async () => {
    await kept.begin('TYPED', { ...here(), type: 'json' });
    const { claude_session_id: id } = await kept.untilQuiet('TYPED');
    wrap('drops');
    const refused = await cbos.cli(['send', 'TYPED', 'scene:hello into nothing']);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has begun another one')]);
    expect(refused.stderr).toContain('the next prompt tries again');
    expect(await untilOther('TYPED')).toMatchObject({ pid: null, claude_session_id: id, missing_conversation: id });
    expect((await cbos.cli(['invoke', 'TYPED', 'scene:hello into nothing'])).code).toBe(4);
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    wrap('passes');

    await cbos.call('POST', '/sessions/TYPED/invoke', { prompt: 'scene:silent' });
    const queued = await queue('TYPED', 'scene:hello when it is right');
    expect((await cbos.cli(['interrupt', 'TYPED'])).code).toBe(0);
    await kept.untilQuiet('TYPED');
    wrap('drops');
    await cbos.call('POST', '/sessions/TYPED/queue/resume');
    await untilOther('TYPED');
    await cbos.until('TYPED', (one) => one.queue_stopped_at !== null, 'has a paused queue');
    expect([await statusOf('TYPED', queued), world.promptsReceived()]).toEqual([
      'queued',
      expect.not.arrayContaining(['scene:hello when it is right']),
    ]);
    wrap('passes');
    await cbos.call('POST', '/sessions/TYPED/queue/resume');
    await waitFor(async () => (await statusOf('TYPED', queued)) === 'delivered', { describe: 'the prompt is sent' });
    await kept.ask('TYPED', 'scene:hello again');
    expect(kept.remembers('TYPED')).toBe(true);
    expect(await cbos.session('TYPED')).not.toHaveProperty('missing_conversation');
  });
});
