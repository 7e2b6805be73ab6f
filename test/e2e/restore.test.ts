import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRegistry } from '../../src/platform/claude/index.ts';
import { readProcess } from '../../src/platform/process/index.ts';
import type { Restoration, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { killAll } from '../harness/kill-all.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share three launches and their restorations. Each test continues where the previous one left off.
let world: ClaudeWorld;
let cbos: Cbos;
const NAMES = ['WORK', 'DOCS', 'BLANK'] as const;
let before: Session[];

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  for (const [index, slug] of NAMES.entries()) {
    const size = { cols: 100 + index, rows: 30 + index };
    const args = slug === 'DOCS' ? ['--verbose', 'scene:hello DOCS'] : [];
    await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir, args, ...size });
  }
  for (const slug of ['WORK', 'BLANK']) await cbos.untilStatus(slug, 'idle/ready');
  await cbos.call('POST', '/sessions/WORK/send', { text: 'scene:hello WORK' });
  for (const slug of ['WORK', 'DOCS']) await cbos.untilStatus(slug, 'idle/waiting_input');
  // Claude Code must have written the answer to its file. A killed process would lose the rest.
  for (const slug of ['WORK', 'DOCS']) {
    await waitFor(async () => (await transcriptOf(slug)).includes('"assistant"'), { describe: `${slug} is saved` });
  }
  before = await Promise.all(NAMES.map((slug) => cbos.session(slug)));
});
afterAll(() => world.dispose());

const transcriptOf = async (slug: string): Promise<string> =>
  JSON.stringify((await cbos.call('GET', `/sessions/${slug}/transcript`)).body);

/** Kills the server and everything below Screen, at once and without warning, as a reboot does. */
async function killEverything(): Promise<void> {
  await killAll(world);
  await cbos.stop('SIGKILL');
}

const timesReceived = (prompt: string): number => world.promptsReceived().filter((one) => one === prompt).length;

test('everything is killed with Screen: the sessions are lost, and come back with their conversations and sizes, once each', async () => {
  await killEverything();
  cbos = await startCbos(world);
  const lost = await cbos.call<Session[]>('GET', '/sessions?state=lost');
  expect(lost.body.map(({ slug, state, lost: how }) => [slug, state, how])).toEqual(
    NAMES.map((slug) => [slug, 'dead', 'screen_killed']),
  );
  expect((await cbos.cli(['up'])).stderr).toContain('3 sessions are lost — cbos restore');
  expect((await cbos.cli(['ls'])).stdout).toContain('Screen was killed; cbos restore');
  expect((await cbos.cli(['restore', '--dry-run'])).stdout).toContain('BLANK would come back with a new conversation');
  expect(world.processes().filter(({ pid }) => pid !== cbos.pid)).toEqual([]);

  const watcher = await cbos.watch();
  const [restored, again] = await Promise.all([cbos.cli(['restore', '--yes']), cbos.cli(['restore', '--yes'])]);
  expect([restored.code, again.code], `${restored.stderr}${again.stderr}`).toEqual([0, 0]);
  const { sessions } = (await cbos.call<Restoration>('GET', '/restore')).body;
  expect(sessions.map(({ session, outcome }) => [session, outcome]).sort()).toEqual(
    NAMES.map((slug) => [slug, 'restored']).sort(),
  );
  for (const [index, slug] of NAMES.entries()) {
    const after = await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is back');
    const { cols, rows, path, claude_session_id } = before[index] as Session;
    expect(after).toMatchObject({ cols, rows, path });
    expect(after.lost).toBeUndefined();
    const reported = watcher.frames.findLast(
      (frame) => 'session' in frame && typeof frame.session === 'object' && frame.session.slug === slug,
    );
    expect(reported).toMatchObject({
      type: 'session_updated',
      session: expect.not.objectContaining({ lost: 'screen_killed' }),
    });
    if (slug === 'BLANK') continue;
    expect(after.claude_session_id).toBe(claude_session_id);
  }
  watcher.close();
  const texts = NAMES.map((slug) => `scene:hello again, ${slug}`);
  await Promise.all(NAMES.map((slug, at) => cbos.call('POST', `/sessions/${slug}/send`, { text: texts[at] })));
  await waitFor(() => texts.every((text) => timesReceived(text) > 0), { describe: 'the texts arrive' });
  for (const slug of NAMES) await cbos.untilStatus(slug, 'idle/waiting_input');
  expect(texts.map(timesReceived)).toEqual([1, 1, 1]);
  // The prompt among the arguments of DOCS is not sent again.
  expect(timesReceived('scene:hello DOCS')).toBe(1);
  const requests = world.apiEvents.filter(({ kind }) => kind === 'request').map((one) => JSON.stringify(one));
  const ofWork = requests.findLast((one) => one.includes('again, WORK')) ?? '';
  expect([ofWork.includes('scene:hello WORK'), ofWork.includes('scene:hello DOCS')]).toEqual([true, false]);
});

test('a session that was stopped is not lost, and a lost one that is stopped does not come back', async () => {
  await cbos.cli(['stop', 'BLANK']);
  await killEverything();
  cbos = await startCbos(world);
  const lost = await cbos.call<Session[]>('GET', '/sessions?state=lost');
  expect(lost.body.map(({ slug }) => slug)).toEqual(['WORK', 'DOCS']);
  expect((await cbos.cli(['stop', 'DOCS'])).code).toBe(0);
  const refused = await cbos.cli(['restore', 'BLANK', 'DOCS']);
  expect(refused).toMatchObject({ code: 4, stdout: expect.stringContaining('DOCS stays as it is') });
});

test('a server that is killed while it restores a session leaves one of it', async () => {
  await cbos.call('POST', '/restore', {});
  // The launch has begun, but none of its processes is saved yet.
  await waitFor(() => world.processes().some(({ pid }) => pid !== cbos.pid), { describe: 'a process of the launch' });
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world, { CBOS_RESTORE_AT_START: 'true' });
  const after = await cbos.until('WORK', ({ status }) => status.primary === 'idle', 'is back');
  expect(after).toMatchObject({ claude_session_id: before[0]?.claude_session_id });
  await cbos.call('POST', '/sessions/WORK/send', { text: 'scene:hello third' });
  await cbos.until('WORK', ({ status }) => status.detail === 'waiting_input', 'is done');
  const running = await readRegistry(join(world.home, '.claude', 'sessions'));
  const open = running.filter(({ sessionId }) => sessionId === after.claude_session_id);
  expect([timesReceived('scene:hello third'), open.length]).toEqual([1, 1]);
});

test('a session that a signal ends while no server runs is lost, and is left alone while another Claude Code has its conversation', async () => {
  const { pid, claude_session_id: sessionId } = await cbos.session('WORK');
  await cbos.stop();
  process.kill(pid ?? 0, 'SIGTERM');
  await waitFor(() => world.processes().length === 0, { describe: 'the session has ended' });
  cbos = await startCbos(world);
  expect((await cbos.session('WORK')).lost).toBe('signal');

  // Claude Code in another terminal writes such a record.
  const self = await readProcess(process.pid);
  const record = { pid: process.pid, sessionId, cwd: world.projectDir, procStart: self?.startTime, status: 'idle' };
  writeFileSync(join(world.home, '.claude', 'sessions', `${process.pid}.json`), JSON.stringify(record));
  const refused = await cbos.cli(['restore', 'WORK']);
  expect(refused).toMatchObject({ code: 4, stdout: expect.stringContaining('has its conversation open') });
  expect(world.processes().filter(({ pid: one }) => one !== cbos.pid)).toEqual([]);
});
