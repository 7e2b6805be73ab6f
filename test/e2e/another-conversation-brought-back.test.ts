import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import {
  type ConversationWrapper,
  type WrapperWay,
  writeConversationWrapper,
} from '../harness/conversation-wrapper.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';

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
test('a restoration, a conversion and a fork say that Claude Code has begun another conversation', async () => {
  await kept.begin('LOST', here());
  const { screen_id: screen, pid } = await cbos.session('LOST');
  for (const one of [pid, Number(screen?.split('.')[0])]) process.kill(one ?? 0, 'SIGKILL');
  await cbos.until('LOST', ({ lost }) => lost !== undefined, 'is lost');
  wrap('drops');
  const restored = await cbos.cli(['restore', '--yes']);
  expect(restored.stdout + restored.stderr).toMatch(/LOST failed: .*has begun another one/);
  expect(restored.code).not.toBe(0);
  await cbos.cli(['stop', 'LOST']);
  wrap('passes');
  await cbos.cli(['restart', 'LOST']);
  await kept.ask('LOST', 'scene:hello again');
  expect(kept.remembers('LOST')).toBe(true);

  wrap('drops');
  expect((await cbos.cli(['convert', 'LOST', 'json'])).stderr).toBe('');
  const refused = await cbos.cli(['send', 'LOST', 'scene:hello into nothing']);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has begun another one')]);
  wrap('passes');
  await kept.ask('LOST', 'scene:hello converted');
  expect(kept.remembers('LOST')).toBe(true);

  await kept.untilQuiet('LOST');
  for (const type of ['json', 'screen']) {
    if (type === 'screen') await cbos.cli(['convert', 'LOST', 'screen']);
    wrap('drops');
    const copy = `COPY-${type}`;
    const forked = await cbos.cli(['fork', 'LOST', copy, '--same-folder']);
    expect(forked.stdout).not.toContain('continues');
    const sent = await cbos.cli(['send', copy, 'scene:hello into nothing']);
    expect([copy, sent.code, sent.stderr]).toEqual([copy, 4, expect.stringContaining('has begun another one')]);
    wrap('passes');
    await cbos.cli(['stop', copy]);
    await cbos.cli(['restart', copy]);
    await kept.ask(copy, 'scene:hello copied');
    expect(kept.remembers('LOST')).toBe(true);
  }
  expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
});

test('a conversation that the arguments name is not replaced either', async () => {
  await kept.begin('FIRST', here());
  const { claude_session_id: id } = await cbos.session('FIRST');
  await cbos.cli(['rm', 'FIRST', '--yes']);
  wrap('drops');
  expect((await cbos.cli(['new', 'NEXT', here().path, '--', '--resume', id ?? ''])).code).toBe(0);
  expect(await untilOther('NEXT')).toMatchObject({ claude_session_id: id, missing_conversation: id });
  wrap('passes');
  await cbos.cli(['stop', 'NEXT']);
  await cbos.cli(['restart', 'NEXT']);
  await cbos.until('NEXT', ({ status }) => status.primary === 'idle', 'is idle');
  const sent = await cbos.cli(['send', 'NEXT', 'scene:hello again', '--wait']);
  expect([sent.code, kept.remembers('FIRST')]).toEqual([0, true]);
});

test('a wrapper that continues a copy of the conversation continues the conversation', async () => {
  for (const type of ['screen', 'json']) {
    const slug = `COPIED-${type}`;
    await kept.begin(slug, { ...here(), type });
    const { claude_session_id: id } = await cbos.session(slug);
    wrap('copies');
    if (type === 'screen') {
      await cbos.cli(['stop', slug]);
      await cbos.cli(['restart', slug]);
    } else await kept.untilQuiet(slug);
    await kept.ask(slug, 'scene:hello again');
    expect(kept.remembers(slug)).toBe(true);
    const after = await cbos.session(slug);
    expect(after).not.toHaveProperty('missing_conversation');
    expect(after.claude_session_id).not.toBe(id);
    wrap('passes');
  }
});
