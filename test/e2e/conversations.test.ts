import { copyFileSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { findTranscript } from '../../src/platform/claude/index.ts';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

/** The name of the folder makes the session's path longer than the 200 characters that Claude Code keeps of it. */
const LONG = `long/${'x'.repeat(120)}/${'y'.repeat(120)}`;

const ENTER: Scene = {
  name: 'enter',
  about: 'The model moves the session into a worktree',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name: 'feat' } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
};

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  const enter = (prompt: string): Scene | null => (prompt.includes('enter the worktree') ? ENTER : null);
  world = await claudeWorld({ projects: ['other', 'behind', LONG], choosers: [enter] });
  createWorktreeRepository(world, 'project').commit('begin', { 'a.txt': 'a\n' });
  symlinkSync(join(world.dir, 'behind'), join(world.dir, 'link'));
  const wrapper = join(world.dir, 'own-account.sh');
  const own = '[ -n "$OWN_ACCOUNT" ] && export CLAUDE_CONFIG_DIR="$OWN_ACCOUNT"';
  writeFileSync(wrapper, `#!/bin/sh\n${own}\nexec ${world.claude} "$@"\n`, { mode: 0o755 });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1', CBOS_CLAUDE_COMMAND: wrapper });
});
afterEach(async () => {
  for (const { slug } of (await cbos.call<Session[]>('GET', '/sessions')).body) {
    await cbos.call('DELETE', `/sessions/${slug}`);
  }
});
afterAll(() => world.dispose());

async function begin(slug: string, more: object = {}): Promise<void> {
  const body = { slug, path: world.projectDir, type: 'screen', ...more };
  expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
  await ask(slug, `scene:hello remember ${slug}`);
}

/** Runs a turn. The whole turn is over when this resolves. */
async function ask(slug: string, text: string): Promise<void> {
  const sent = await cbos.cli(['send', slug, text, '--wait']);
  expect([sent.code, sent.stderr]).toEqual([0, '']);
}

/** Reports whether the model was told about the beginning of a session's conversation with the last prompt. */
const remembers = (slug: string): boolean => {
  const last = world.apiEvents.findLast((event) => event.kind === 'request' && event.scene !== null);
  return JSON.stringify(last).includes(`remember ${slug}`);
};

const untilQuiet = (slug: string): Promise<Session> => cbos.until(slug, ({ pid }) => pid === null, 'has no process');

async function restart(slug: string): Promise<void> {
  expect((await cbos.cli(['stop', slug])).code).toBe(0);
  const restarted = await cbos.cli(['restart', slug]);
  expect([restarted.stdout, restarted.stderr]).toEqual([`${slug} restarted; it continues its conversation\n`, '']);
  await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is idle');
}

async function transcriptOf(slug: string, configDir = join(world.home, '.claude')): Promise<string> {
  const sessionId = (await cbos.session(slug)).claude_session_id ?? '';
  const found = await findTranscript({ sessionId, configDirs: [configDir], reported: null });
  if (found === null) throw new Error(`${slug} has no transcript`);
  return found;
}

describe('a session continues its conversation', () => {
  test('in a terminal, after the model has moved it into a worktree; and it returns there', async () => {
    await begin('MOVED');
    await ask('MOVED', 'enter the worktree');
    await restart('MOVED');
    await ask('MOVED', 'scene:hello again');
    expect(remembers('MOVED')).toBe(true);
    expect(await transcriptOf('MOVED')).toContain('--claude-worktrees-feat/');
  });

  test('after /cd: a restart, parking and a prompt, and a conversion', async () => {
    await begin('CD', { path: join(world.dir, 'behind') });
    await cbos.call('POST', '/sessions/CD/send', { text: `/cd ${join(world.dir, 'other')}`, command: true });
    await waitFor(async () => (await transcriptOf('CD')).includes('-other/'), { describe: 'the transcript moves' });
    await restart('CD');
    await ask('CD', 'scene:hello again');
    expect(remembers('CD')).toBe(true);
    expect((await cbos.cli(['park', 'CD'])).stderr).toBe('');
    await ask('CD', 'scene:hello after parking');
    expect(remembers('CD')).toBe(true);
    expect((await cbos.cli(['convert', 'CD', 'json'])).stderr).toBe('');
    await ask('CD', 'scene:hello without a terminal');
    expect(remembers('CD')).toBe(true);
  });

  test.each([
    ['as a JSON session that was idle, after the model has moved it into a worktree', 'IDLE', 'json', '.'],
    ['in a folder with a long path, without a terminal', 'LONG-JSON', 'json', LONG],
  ])('%s', async (_, slug, type, path) => {
    await begin(slug, { type, path: path === '.' ? world.projectDir : join(world.dir, path) });
    if (path === '.') await ask(slug, 'enter the worktree');
    await untilQuiet(slug);
    await ask(slug, 'scene:hello again');
    expect(remembers(slug)).toBe(true);
  });

  test.each([
    ['in a folder that was named through a link', 'LINK', 'link'],
    ['in a folder with a long path', 'LONG', LONG],
  ])('%s', async (_, slug, path) => {
    await begin(slug, { path: join(world.dir, path) });
    await restart(slug);
    await ask(slug, 'scene:hello again');
    expect(remembers(slug)).toBe(true);
  });

  test.each(['screen', 'json'])('in an account of its own that a wrapper chooses: %s', async (type) => {
    const slug = `OWN-${type}`;
    const account = join(world.dir, `account-${type}`);
    mkdirSync(account);
    copyFileSync(join(world.home, '.claude.json'), join(account, '.claude.json'));
    await begin(slug, { type, env: { OWN_ACCOUNT: account }, path: join(world.dir, 'other') });
    expect(await transcriptOf(slug, account)).toContain(account);
    if (type === 'json') await untilQuiet(slug);
    else await restart(slug);
    await ask(slug, 'scene:hello again');
    expect(remembers(slug)).toBe(true);
  });
});

describe('a conversation that is gone is never replaced by an empty one without a request:', () => {
  test('restart, park and fork refuse, and a new conversation begins on request', async () => {
    await begin('GONE', { path: join(world.dir, 'other') });
    const file = await transcriptOf('GONE');
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
    await ask('GONE', 'scene:hello again');
    expect(remembers('GONE')).toBe(false);

    // The file has come back, as the hint says.
    const { claude_session_id: id } = await cbos.session('GONE');
    expect(dirname(await transcriptOf('GONE'))).toBe(dirname(file));
    expect(file).not.toContain(id ?? '');
  });

  test('a prompt to a JSON session is refused, and a queued one stays in the queue until it can be sent', async () => {
    await begin('QUIET', { type: 'json', path: join(world.dir, 'other') });
    await untilQuiet('QUIET');
    const file = await transcriptOf('QUIET');
    renameSync(file, `${file}.cleaned`);
    const refused = await cbos.cli(['send', 'QUIET', 'scene:hello into nothing']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--new-conversation')]);
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    renameSync(`${file}.cleaned`, file);

    // An interrupt pauses the queue, and the process ends before somebody resumes the queue.
    await cbos.call('POST', '/sessions/QUIET/invoke', { prompt: 'scene:silent' });
    const queued = await cbos.call<Delivery>('POST', '/sessions/QUIET/send', {
      text: 'scene:hello later',
      queue: true,
    });
    expect(queued.body.status).toBe('queued');
    expect((await cbos.cli(['interrupt', 'QUIET'])).code).toBe(0);
    await untilQuiet('QUIET');
    renameSync(file, `${file}.cleaned`);
    await cbos.call('POST', '/sessions/QUIET/queue/resume');
    await cbos.until('QUIET', (one) => one.missing_conversation !== undefined, 'has lost its conversation');
    await cbos.until('QUIET', (one) => one.queue_stopped_at !== null, 'has a paused queue');
    expect((await cbos.call<Delivery>('GET', `/sessions/QUIET/deliveries/${queued.body.id}`)).body.status).toBe(
      'queued',
    );
    expect(world.promptsReceived()).not.toContain('scene:hello later');

    expect((await cbos.cli(['restart', 'QUIET', '--new-conversation'])).code).toBe(0);
    await waitFor(() => world.promptsReceived().includes('scene:hello later'), { describe: 'the held prompt arrives' });
    expect(remembers('QUIET')).toBe(false);
  });

  test('a file that has come back is continued', async () => {
    await begin('BACK', { type: 'json', path: join(world.dir, 'other') });
    await untilQuiet('BACK');
    const file = await transcriptOf('BACK');
    renameSync(file, `${file}.cleaned`);
    expect((await cbos.cli(['send', 'BACK', 'scene:hello'])).code).toBe(3);
    renameSync(`${file}.cleaned`, file);
    await ask('BACK', 'scene:hello again');
    expect(remembers('BACK')).toBe(true);
    expect(await cbos.session('BACK')).not.toHaveProperty('missing_conversation');
  });
});
