import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Explanation } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { writeConversationWrapper } from '../harness/conversation-wrapper.ts';
import { type KeptConversations, keptConversations } from '../harness/kept-conversations.ts';
import { waitFor } from '../harness/wait-for.ts';

/** The name of the folder makes the session's path longer than the 200 characters that Claude Code keeps of it. */
const LONG = `long/${'x'.repeat(120)}/${'y'.repeat(120)}`;

let world: ClaudeWorld;
let cbos: Cbos;
let kept: KeptConversations;
beforeAll(async () => {
  world = await claudeWorld({ projects: ['other', 'behind', LONG] });
  symlinkSync(join(world.dir, 'behind'), join(world.dir, 'link'));
  const wrapper = writeConversationWrapper(world);
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
