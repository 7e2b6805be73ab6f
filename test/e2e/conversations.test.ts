import { copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { findTranscript } from '../../src/platform/claude/index.ts';
import type { Delivery, RepositoryWorktrees, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

/** The name of the folder makes the session's path longer than the 200 characters that Claude Code keeps of it. */
const LONG = `long/${'x'.repeat(120)}/${'y'.repeat(120)}`;

/** How long a launch in a worktree may take on a busy machine. */
const LAUNCH_MS = 90_000;

const ENTER: Scene = {
  name: 'enter',
  about: 'The model moves the session into a worktree',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name: 'feat' } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
};

let world: ClaudeWorld;
let place: string;
let cbos: Cbos;
let variables: Record<string, string>;
beforeAll(async () => {
  const enter = (prompt: string): Scene | null => (prompt.includes('enter the worktree') ? ENTER : null);
  world = await claudeWorld({ projects: ['other', 'behind', LONG], choosers: [enter] });
  place = join(world.projectDir, '.claude', 'worktrees', 'feat');
  createWorktreeRepository(world, 'project').commit('begin', { 'a.txt': 'a\n' });
  symlinkSync(join(world.dir, 'behind'), join(world.dir, 'link'));
  const wrapper = join(world.dir, 'own-account.sh');
  const own = '[ -n "$OWN_ACCOUNT" ] && export CLAUDE_CONFIG_DIR="$OWN_ACCOUNT"';
  writeFileSync(wrapper, `#!/bin/sh\n${own}\nexec ${world.claude} "$@"\n`, { mode: 0o755 });
  variables = { CBOS_JSON_IDLE_TIMEOUT: '1', CBOS_TURN_CHECKPOINTS: 'true', CBOS_CLAUDE_COMMAND: wrapper };
  cbos = await startCbos(world, variables);
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
  await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is idle', LAUNCH_MS);
}

/** Checks that every face speaks of the worktree in which the session works, and not of the folder where it started. */
async function isInWorktree(slug: string): Promise<void> {
  const session = await cbos.until(slug, (one) => one.place === place, 'is in the worktree');
  expect(session.path).toBe(world.projectDir);
  // On a busy machine, a command does not wait long for the branch.
  const untilPrinted = (args: readonly string[], line: RegExp): Promise<unknown> =>
    waitFor(async () => line.test((await cbos.cli(args)).stdout), { describe: `cbos ${args[0]} names the worktree` });
  await untilPrinted(['show', slug], /^ {2}place +.*\/worktrees\/feat \(worktree-feat\)$/m);
  await untilPrinted(['ls', '--columns', 'name,path,branch'], /worktrees\/feat +worktree-feat/);
  writeFileSync(join(place, 'only-here.txt'), 'here\n');
  expect((await cbos.cli(['diff', slug])).stdout).toContain('only-here.txt');
  const [listed] = (await cbos.call<RepositoryWorktrees[]>('GET', '/worktrees')).body;
  const one = listed?.worktrees.find((worktree) => worktree.path === place);
  expect(one).toMatchObject({ sessions: [slug], free: false });
  const body = { slug: 'SECOND', path: world.projectDir, worktree: { branch: 'worktree-feat', existing: true } };
  expect((await cbos.call('POST', '/sessions', body)).error?.code).toBe('worktree_in_use');
  const rule = { effect: 'deny', tool: ['Bash'], project: [place] };
  const added = await cbos.call<{ id: string }>('POST', '/rules', rule);
  const asked = { tool: 'Bash', input: { command: 'make' }, session: slug };
  expect((await cbos.call('POST', '/rules/test', asked)).body).toMatchObject({ decision: 'deny' });
  await cbos.call('DELETE', `/rules/${added.body.id}`);
}

async function transcriptOf(slug: string, configDir = join(world.home, '.claude')): Promise<string> {
  const sessionId = (await cbos.session(slug)).claude_session_id ?? '';
  const found = await findTranscript({ sessionId, configDirs: [configDir], reported: null });
  if (found === null) throw new Error(`${slug} has no transcript`);
  return found;
}

describe('a session continues its conversation', { timeout: 300_000 }, () => {
  test('in a terminal, after the model has moved it into a worktree; and it returns there', async () => {
    await begin('MOVED');
    expect(await cbos.session('MOVED')).not.toHaveProperty('place');
    await ask('MOVED', 'enter the worktree');
    await isInWorktree('MOVED');
    await restart('MOVED');
    await ask('MOVED', 'scene:hello again');
    expect(remembers('MOVED')).toBe(true);
    expect(await transcriptOf('MOVED')).toContain('--claude-worktrees-feat/');
    await isInWorktree('MOVED');

    // The first turn ran where the session started, and a rewind restores the files there.
    const files = [world.projectDir, place].map((folder) => join(folder, 'a.txt'));
    for (const file of files) writeFileSync(file, 'changed\n');
    expect((await cbos.cli(['rewind', 'MOVED', '--before', '1', '--yes'])).stderr).toBe('');
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(['a\n', 'changed\n']);

    // A copy of the conversation gets a worktree of its own, and works there.
    expect((await cbos.cli(['fork', 'MOVED', 'COPY'])).stderr).toBe('');
    await ask('COPY', 'scene:hello from the copy');
    expect(remembers('MOVED')).toBe(true);
    expect(await cbos.session('COPY')).not.toHaveProperty('place');
  });

  test('that was started with --worktree, and its worktree is in use', async () => {
    await begin('FLAG', { args: ['--worktree', 'flagged'] });
    const place = join(world.projectDir, '.claude', 'worktrees', 'flagged');
    await cbos.until('FLAG', (one) => one.place === place, 'is in its worktree');
    const second = await cbos.cli(['new', 'SECOND', world.projectDir, '--', '-w', 'flagged']);
    expect([second.code, second.stderr]).toEqual([4, expect.stringContaining('The session FLAG works in')]);
    await restart('FLAG');
    await ask('FLAG', 'scene:hello again');
    expect(remembers('FLAG')).toBe(true);
    await cbos.until('FLAG', (one) => one.place === place, 'is in its worktree');
  });

  test('after /cd: a restart, parking and a prompt, and a conversion', async () => {
    await begin('CD', { path: join(world.dir, 'behind') });
    await cbos.call('POST', '/sessions/CD/send', { text: `/cd ${join(world.dir, 'other')}`, command: true });
    await waitFor(async () => (await transcriptOf('CD')).includes('-other/'), { describe: 'the transcript moves' });
    await cbos.until('CD', ({ place }) => place === join(world.dir, 'other'), 'is in the other folder');
    await restart('CD');
    // Claude Code itself does not return there.
    await cbos.until('CD', ({ place }) => place === undefined, 'is where it was started');
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
    if (path === '.') await isInWorktree(slug);
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

  test('a parked session is not woken, by a prompt or otherwise, and a running one is not converted', async () => {
    await begin('ASLEEP', { path: join(world.dir, 'other') });
    const file = await transcriptOf('ASLEEP');
    renameSync(file, `${file}.cleaned`);
    const converted = await cbos.cli(['convert', 'ASLEEP', 'json']);
    expect([converted.code, converted.stderr]).toEqual([3, expect.stringContaining('--new-conversation')]);
    expect((await cbos.session('ASLEEP')).type).toBe('screen');
    renameSync(`${file}.cleaned`, file);
    expect((await cbos.cli(['park', 'ASLEEP'])).stderr).toBe('');
    renameSync(file, `${file}.cleaned`);
    for (const args of [
      ['wake', 'ASLEEP'],
      ['send', 'ASLEEP', 'scene:hello into nothing'],
    ]) {
      const refused = await cbos.cli(args);
      expect([args, refused.code, refused.stderr]).toEqual([args, 3, expect.stringContaining('--new-conversation')]);
    }
    expect(await cbos.session('ASLEEP')).toMatchObject({ pid: null, missing_conversation: expect.any(String) });
    expect(world.promptsReceived()).not.toContain('scene:hello into nothing');
    expect((await cbos.cli(['restart', 'ASLEEP', '--new-conversation'])).stderr).toBe('');
    await ask('ASLEEP', 'scene:hello again');
    expect(remembers('ASLEEP')).toBe(false);
  });

  test('a lost session is not restored', async () => {
    await begin('LOST', { path: join(world.dir, 'other') });
    const file = await transcriptOf('LOST');
    const { screen_id: screen, pid } = await cbos.session('LOST');
    for (const one of [pid, Number(screen?.split('.')[0])]) process.kill(one ?? 0, 'SIGKILL');
    await cbos.until('LOST', ({ lost }) => lost !== undefined, 'is lost');
    renameSync(file, `${file}.cleaned`);
    const restored = await cbos.cli(['restore', '--yes']);
    expect(restored.stdout + restored.stderr).toMatch(/LOST.*conversation/);
    expect(await cbos.session('LOST')).toMatchObject({ state: 'dead' });
    renameSync(`${file}.cleaned`, file);
    await cbos.cli(['restore', '--yes']);
    await ask('LOST', 'scene:hello again');
    expect(remembers('LOST')).toBe(true);
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

    // Another server shows why it holds the prompt, too.
    await cbos.stop();
    cbos = await startCbos(world, variables);
    await cbos.until('QUIET', (one) => one.missing_conversation !== undefined, 'still lacks its conversation');

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
