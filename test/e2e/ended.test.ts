import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTranscript } from '../../src/platform/claude/index.ts';
import { attentionOf, type SearchResult, type Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share one session, and each continues where the previous one left it.
let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'END', type: 'screen', path: world.projectDir });
  await cbos.untilStatus('END', 'idle/ready');
});
afterAll(() => world.dispose());

const untilDead = (): Promise<Session> => cbos.until('END', ({ state }) => state === 'dead', 'has ended');
const restart = async (): Promise<Session> => {
  expect((await cbos.call('POST', '/sessions/END/restart')).error).toBeNull();
  return cbos.until('END', ({ status }) => status.primary === 'idle', 'is idle');
};
const buffer = async (): Promise<string> =>
  (await cbos.call<{ buffer: string }>('GET', '/sessions/END/buffer?lines=200')).body.buffer;

test('a session that is killed during a turn needs the user, and every face says what happened', async () => {
  await cbos.call('POST', '/sessions/END/send', { text: 'scene:hello first' });
  await cbos.untilStatus('END', 'idle/waiting_input');
  await cbos.call('POST', '/sessions/END/send', { text: 'scene:slow second' });
  const running = await cbos.until('END', ({ status }) => status.primary === 'active', 'is working');
  process.kill(running.pid ?? 0, 'SIGKILL');
  const killed = await untilDead();
  expect(killed.ended).toMatchObject({ by: 'killed', exit_code: 137, signal: 'SIGKILL' });
  expect(attentionOf(killed)).toBe('needs_you');
  expect((await cbos.cli(['ls'])).stdout).toMatch(/✗ +END +killed/);
  expect((await cbos.cli(['show', 'END'])).stdout).toContain('when memory runs out');
});

test('the last line of the recording is not on the last screen, and no search finds it', async () => {
  expect(readFileSync(join(world.streamDir, 'END.typescript'), 'utf8')).toContain('Script done on');
  expect(await buffer()).not.toContain('Script done on');
  for (const args of [['logs'], ['export'], ['show', '--verbose']]) {
    const [command = '', ...more] = args;
    const { code, stdout } = await cbos.cli([command, 'END', ...more]);
    expect([command, code, stdout]).toEqual([command, 0, expect.not.stringContaining('Script done on')]);
  }
  const search = async (q: string) => (await cbos.call<SearchResult>('GET', `/search?q=${q}`)).body;
  await waitFor(async () => (await search('scene')).pending_bytes === 0, { describe: 'the recording is indexed' });
  expect((await search('COMMAND_EXIT_CODE')).hits).toEqual([]);
  expect((await search('second')).hits).not.toEqual([]);
});

test('after a restart, the turn is interrupted and not done, until the next one', async () => {
  const back = await restart();
  expect(back.interrupted_at).toBeDefined();
  expect(attentionOf(back)).toBe('needs_you');
  expect((await cbos.cli(['ls'])).stdout).toMatch(/END +interrupted/);
  for (const more of [[], ['--for', 'done']]) {
    const waited = await cbos.cli(['wait', 'END', '--timeout', '20', ...more]);
    expect([waited.code, waited.stderr]).toEqual([1, expect.stringContaining('its turn was interrupted at')]);
  }
  await cbos.call('POST', '/sessions/END/send', { text: 'scene:hello again' });
  const done = await cbos.until(
    'END',
    (one) => one.interrupted_at === undefined && attentionOf(one) === 'done',
    'is done',
  );
  expect(done.ended).toBeUndefined();
});

test('a signal from another program is told apart from a request, and from /exit', async () => {
  process.kill((await cbos.session('END')).pid ?? 0, 'SIGTERM');
  const ended = await untilDead();
  expect(ended.ended).toMatchObject({ by: 'signal', exit_code: 143, signal: 'SIGTERM' });
  expect(attentionOf(ended)).toBe('needs_you');
  process.kill((await restart()).pid ?? 0, 'SIGSEGV');
  expect((await untilDead()).ended).toMatchObject({ by: 'signal', exit_code: 139, signal: 'SIGSEGV' });
  expect((await cbos.cli(['ls'])).stdout).toContain('ended with SIGSEGV, as a program does when it crashes');
  process.kill((await restart()).pid ?? 0, 'SIGINT');
  expect((await untilDead()).ended).toMatchObject({ by: 'signal', exit_code: 0 });
  expect((await cbos.cli(['ls'])).stdout).toContain('another program ended it with a signal');
  await restart();
  expect(await cbos.cli(['send', 'END', '--command', '--wait', '--', '/exit'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('stopped'),
    stderr: '',
  });
  const left = await untilDead();
  expect(left.ended).toMatchObject({ by: 'user', exit_code: 0 });
  expect([attentionOf(left), left.interrupted_at]).toEqual(['stopped', undefined]);
  await restart();
  expect((await cbos.cli(['stop', 'END'])).code).toBe(0);
  const stopped = await cbos.session('END');
  expect(stopped.ended).toMatchObject({ by: 'cbos' });
  expect(attentionOf(stopped)).toBe('stopped');
});

test('a session whose recorder is killed during a turn needs the user, although nothing shows how it ended', async () => {
  if ((await cbos.session('END')).state === 'dead') await restart();
  await cbos.call('POST', '/sessions/END/send', { text: 'scene:slow third' });
  await cbos.until('END', ({ status }) => status.primary === 'active', 'is working');
  const recorder = world.processes().find(({ command }) => /^script\b.*END\.typescript/.test(command));
  if (recorder === undefined) throw new Error('the recorder is not running');
  process.kill(recorder.pid, 'SIGKILL');
  const ended = await untilDead();
  expect(ended.ended).toMatchObject({ by: 'unknown' });
  expect([attentionOf(ended), ended.interrupted_at]).toEqual(['needs_you', expect.any(String)]);
});

test('a restart after /clear says that nothing was asked in the conversation, until the next prompt', async () => {
  const { claude_session_id: before } = await restart();
  const EMPTY = 'END restarted; its conversation is new, because nothing was asked since it began\n';
  await cbos.call('POST', '/sessions/END/send', { text: '/clear', command: true });
  const cleared = await cbos.until('END', (one) => one.claude_session_id !== before, 'has another conversation');
  const written = {
    sessionId: cleared.claude_session_id ?? '',
    configDirs: [join(world.home, '.claude')],
    reported: null,
  };
  await waitFor(() => findTranscript(written), { describe: 'Claude Code has written the command' });
  process.kill(cleared.pid ?? 0, 'SIGKILL');
  await untilDead();
  expect((await cbos.cli(['restart', 'END'])).stdout).toBe(EMPTY);
  await cbos.until('END', ({ status }) => status.primary === 'idle', 'is idle');
  expect((await cbos.cli(['send', 'END', '--wait', 'scene:hello to the new one'])).code).toBe(0);
  await cbos.cli(['stop', 'END']);
  expect((await cbos.cli(['restart', 'END'])).stdout).toBe('END restarted; resuming its conversation\n');
  expect((await cbos.session('END')).claude_session_id).toBe(cleared.claude_session_id);
});
