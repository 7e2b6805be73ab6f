import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type ConversationWrapper, writeConversationWrapper } from '../harness/conversation-wrapper.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
let wrapper: ConversationWrapper;
beforeAll(async () => {
  world = await claudeWorld({ projects: ['other'] });
  wrapper = writeConversationWrapper(world);
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1', CBOS_CLAUDE_COMMAND: wrapper.command });
  kept = keptConversations(world, () => cbos);
});
afterEach(() => kept.clear());
afterAll(() => world.dispose());

// What else happens then is in missing-conversations.test.ts and another-conversation.test.ts.
describe('a conversation is never replaced by an empty one without a request', { timeout: 300_000 }, () => {
  test('if its transcript is gone: restart, park and fork refuse, and a new conversation begins on request', async () => {
    await kept.begin('GONE', { path: join(world.dir, 'other') });
    const file = await kept.transcriptOf('GONE');
    renameSync(file, `${file}.cleaned`);
    expect((await cbos.cli(['park', 'GONE'])).stderr).toContain('Claude Code has not saved its conversation');
    expect((await cbos.cli(['fork', 'GONE', 'COPY', '--same-folder'])).stderr).toContain('is gone');
    await cbos.cli(['stop', 'GONE']);
    const refused = await cbos.cli(['restart', 'GONE']);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`The conversation of GONE is gone: Claude Code has no transcript`);
    expect(refused.stderr).toContain('cbos restart GONE --new-conversation');
    expect(await cbos.session('GONE')).toMatchObject({ state: 'dead', missing_conversation: expect.any(String) });
    expect((await cbos.cli(['show', 'GONE'])).stdout).toContain('its conversation is gone');

    const anew = await cbos.cli(['restart', 'GONE', '--new-conversation']);
    expect(anew.stdout).toBe('GONE restarted; it begins a new conversation\n');
    expect(await cbos.session('GONE')).not.toHaveProperty('missing_conversation');
    await kept.ask('GONE', 'scene:hello again');
    expect(kept.remembers('GONE')).toBe(false);

    // The file has come back, as the hint says.
    const { claude_session_id: id } = await cbos.session('GONE');
    expect(dirname(await kept.transcriptOf('GONE'))).toBe(dirname(file));
    expect(file).not.toContain(id ?? '');
  });

  test('if Claude Code begins another one after a restart: no prompt is sent, and the next restart tries again', async () => {
    await kept.begin('DROPS', { path: join(world.dir, 'other') });
    const { claude_session_id: id } = await cbos.session('DROPS');
    expect((await cbos.call('POST', '/sessions/DROPS/kill')).error).toBeNull();
    wrapper.wrap('drops');
    expect((await cbos.call('POST', '/sessions/DROPS/restart')).error).toBeNull();
    const other = await cbos.until('DROPS', (one) => one.other_conversation !== undefined, 'has another conversation');
    expect(other).toMatchObject({ claude_session_id: id, missing_conversation: id });
    const refused = await cbos.cli(['send', 'DROPS', 'scene:hello into nothing']);
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has begun another one')]);
    wrapper.wrap('passes');
    await kept.restart('DROPS');
    await kept.ask('DROPS', 'scene:hello again');
    expect(kept.remembers('DROPS')).toBe(true);
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
  });
});
