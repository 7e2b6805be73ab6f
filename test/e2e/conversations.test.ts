import { copyFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Explanation } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type ConversationWrapper, writeConversationWrapper } from '../harness/conversation-wrapper.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

/** The name of the folder makes the session's path longer than the 200 characters that Claude Code keeps of it. */
const LONG = `long/${'x'.repeat(120)}/${'y'.repeat(120)}`;

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
let wrapper: ConversationWrapper;
beforeAll(async () => {
  world = await claudeWorld({ projects: ['other', 'behind', LONG] });
  symlinkSync(join(world.dir, 'behind'), join(world.dir, 'link'));
  wrapper = writeConversationWrapper(world);
  const command = join(world.dir, 'own-account.sh');
  const own = '[ -n "$OWN_ACCOUNT" ] && export CLAUDE_CONFIG_DIR="$OWN_ACCOUNT"';
  writeFileSync(command, `#!/bin/sh\n${own}\nexec ${wrapper.command} "$@"\n`, { mode: 0o755 });
  const variables = { CBOS_JSON_IDLE_TIMEOUT: '1', CBOS_CLAUDE_COMMAND: command };
  cbos = await startCbos(world, variables);
  kept = keptConversations(world, () => cbos);
});
afterEach(() => kept.clear());
afterAll(() => world.dispose());

/** Checks that the registry of the session's own account is watched, as the one of the usual account is. */
async function hasRegistry(slug: string): Promise<void> {
  const verdict = async (): Promise<string | undefined> => {
    const { verdicts } = (await cbos.call<Explanation>('GET', `/sessions/${slug}/explain`)).body;
    return verdicts.find(({ source }) => source === 'registry')?.primary ?? undefined;
  };
  await waitFor(async () => (await verdict()) === 'idle', { describe: `the registry of ${slug} says idle` });
}

describe('a session continues its conversation', { timeout: 300_000 }, () => {
  test('after /cd: a restart, parking and a prompt, and a conversion', async () => {
    await kept.begin('CD', { path: join(world.dir, 'behind') });
    await cbos.call('POST', '/sessions/CD/send', { text: `/cd ${join(world.dir, 'other')}`, command: true });
    await waitFor(async () => (await kept.transcriptOf('CD')).includes('-other/'), {
      describe: 'the transcript moves',
    });
    await cbos.until('CD', ({ place }) => place === join(world.dir, 'other'), 'is in the other folder');
    await kept.restart('CD');
    // Claude Code itself does not return there.
    await cbos.until('CD', ({ place }) => place === undefined, 'is where it was started');
    await kept.ask('CD', 'scene:hello again');
    expect(kept.remembers('CD')).toBe(true);
    expect((await cbos.cli(['park', 'CD'])).stderr).toBe('');
    await kept.ask('CD', 'scene:hello after parking');
    expect(kept.remembers('CD')).toBe(true);
    expect((await cbos.cli(['convert', 'CD', 'json'])).stderr).toBe('');
    await kept.ask('CD', 'scene:hello without a terminal');
    expect(kept.remembers('CD')).toBe(true);
  });

  test('in a folder with a long path, without a terminal', async () => {
    await kept.begin('LONG-JSON', { type: 'json', path: join(world.dir, LONG) });
    await kept.untilQuiet('LONG-JSON');
    await kept.ask('LONG-JSON', 'scene:hello again');
    expect(kept.remembers('LONG-JSON')).toBe(true);
  });

  test.each([
    ['in a folder that was named through a link', 'LINK', 'link'],
    ['in a folder with a long path', 'LONG', LONG],
  ])('%s', async (_, slug, path) => {
    await kept.begin(slug, { path: join(world.dir, path) });
    await kept.restart(slug);
    await kept.ask(slug, 'scene:hello again');
    expect(kept.remembers(slug)).toBe(true);
  });

  test.each(['screen', 'json'])('in an account of its own that a wrapper chooses: %s', async (type) => {
    const slug = `OWN-${type}`;
    const account = join(world.dir, `account-${type}`);
    mkdirSync(account);
    copyFileSync(join(world.home, '.claude.json'), join(account, '.claude.json'));
    await kept.begin(slug, { type, env: { OWN_ACCOUNT: account }, path: join(world.dir, 'other') });
    expect(await kept.transcriptOf(slug, account)).toContain(account);
    if (type === 'screen') await hasRegistry(slug);
    if (type === 'json') await kept.untilQuiet(slug);
    else await kept.restart(slug);
    await kept.ask(slug, 'scene:hello again');
    expect(kept.remembers(slug)).toBe(true);
    if (type === 'screen') await hasRegistry(slug);
  });
});

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
