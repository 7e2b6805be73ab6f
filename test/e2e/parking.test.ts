import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChooseScene } from '../../src/demo/scenes/choose.ts';
import type { Delivery, Session, SessionResources } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

// All tests share one session, and each continues where the previous one left it. A launch takes a second of a core.
let world: ClaudeWorld;
let cbos: Cbos;

/** A turn that leaves a background shell. */
const leavesShell: ChooseScene = (prompt) =>
  prompt.includes('scene:shell')
    ? {
        name: 'shell',
        about: 'a shell that continues after the turn',
        replies: [
          {
            kind: 'answer',
            blocks: [{ kind: 'tool', name: 'Bash', input: { command: 'sleep 300', run_in_background: true } }],
          },
          { kind: 'answer', blocks: [{ kind: 'text', text: 'It runs.' }] },
        ],
      }
    : null;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', choosers: [leavesShell] });
  cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'PARK', type: 'screen', path: world.projectDir, cols: 100, rows: 30 });
  await cbos.untilStatus('PARK', 'idle/ready');
});
afterAll(() => world.dispose());

const park = () => cbos.call<Session>('POST', '/sessions/PARK/park');
const isParked = ({ parked_at }: Session): boolean => parked_at !== null;
/** Returns all processes of the world except the server. */
const running = (): number[] =>
  world
    .processes()
    .map(({ pid }) => pid)
    .filter((pid) => pid !== cbos.pid);
const timesReceived = (prompt: string): number => world.promptsReceived().filter((one) => one === prompt).length;
/** Returns the Screen daemons of the session. */
const daemons = (): string[] => readdirSync(world.screenDir).filter((name) => name.endsWith('.PARK'));

test('a session that could not come back, or would lose something, is not parked', async () => {
  // Right after its start, Claude Code runs a command of its own.
  await waitFor(async () => (await park()).error?.reason === 'no_conversation', {
    describe: 'nothing is to be resumed',
  });

  await cbos.call('POST', '/sessions/PARK/send', { text: 'scene:hello first' });
  await cbos.untilStatus('PARK', 'idle/waiting_input');
  await cbos.call('POST', '/sessions/PARK/keys', { keys: 'half a text' });
  await cbos.until('PARK', ({ buffer_tail }) => buffer_tail?.includes('half a text') === true, 'shows the draft');
  expect((await park()).error).toMatchObject({ code: 'not_parkable', reason: 'draft' });
  const refused = await cbos.cli(['park', 'PARK']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('text that has not been sent') });
  await cbos.call('POST', '/sessions/PARK/keys', { keys: '\x15' });
  await cbos.until('PARK', ({ buffer_tail }) => buffer_tail?.includes('half a text') === false, 'has no draft');
});

test('a parked session has no process, is listed as parked, and a text brings it back and arrives once', async () => {
  const before = await cbos.session('PARK');
  const parked = await cbos.cli(['park', 'PARK']);
  expect(parked).toMatchObject({ code: 0, stdout: expect.stringContaining('PARK parked') });
  expect(running()).toEqual([]);
  expect(await cbos.session('PARK')).toMatchObject({
    state: 'waiting',
    pid: null,
    status: { primary: 'idle', detail: 'waiting_input', health: 'ALIVE' },
  });
  expect((await cbos.call<Session[]>('GET', '/sessions?state=parked')).body.map(({ slug }) => slug)).toEqual(['PARK']);
  expect((await cbos.call<SessionResources[]>('GET', '/resources')).body).toEqual([
    { session: 'PARK', processes: 0, memory_bytes: 0, cpu_ms: 0 },
  ]);

  const sent = await cbos.call<Delivery>('POST', '/sessions/PARK/send', { text: 'scene:hello second' });
  expect(sent.body).toMatchObject({ status: 'delivered' });
  const after = await cbos.untilStatus('PARK', 'idle/waiting_input');
  expect(timesReceived('scene:hello second')).toBe(1);
  expect(JSON.stringify(world.apiEvents.findLast(({ kind }) => kind === 'request'))).toContain('scene:hello first');
  const { claude_session_id, cols, rows } = before;
  expect(after).toMatchObject({ parked_at: null, claude_session_id, cols, rows });
  const [resources] = (await cbos.call<SessionResources[]>('GET', '/resources')).body;
  expect(resources?.memory_bytes).toBeGreaterThan(50_000_000);
  expect(resources?.cpu_ms).toBeGreaterThan(0);
});

test('a server that is killed while it parks leaves a running or a parked session, which takes the next text once', async () => {
  // The request is repeated while the session still has something to do. A killed server gives no answer.
  const parking = waitFor(async () => ((await park().catch(() => null))?.error ?? null) === null, {
    describe: 'it is parked, or the server is gone',
  });
  await waitFor(async () => isParked(await cbos.session('PARK')), { describe: 'parking has begun' });
  await cbos.stop('SIGKILL');
  await parking;
  cbos = await startCbos(world);
  const found = await cbos.until('PARK', ({ status }) => status.primary === 'idle', 'runs or is parked');
  expect(found.state).not.toBe('dead');

  const sent = await cbos.call<Delivery>('POST', '/sessions/PARK/send', { text: 'scene:hello third' });
  expect(sent.error).toBeNull();
  await waitFor(() => timesReceived('scene:hello third') > 0, { describe: 'the text arrives' });
  await cbos.untilStatus('PARK', 'idle/waiting_input');
  expect([timesReceived('scene:hello third'), daemons().length]).toEqual([1, 1]);
});

test('a server that is killed while it wakes a session leaves one of it, and its text arrives once', async () => {
  await waitFor(async () => (await park()).error === null, { describe: 'it is parked' });
  const sending = cbos.call('POST', '/sessions/PARK/send', { text: 'scene:hello fourth' }).catch(() => null);
  // The launch has begun, but none of its processes is saved yet.
  await waitFor(() => running().length > 0, { describe: 'a process of the launch' });
  await cbos.stop('SIGKILL');
  await sending;
  cbos = await startCbos(world);
  await waitFor(() => timesReceived('scene:hello fourth') > 0, { describe: 'the text arrives' });
  await cbos.until('PARK', ({ status }) => status.detail === 'waiting_input', 'is done');
  await cbos.until('PARK', ({ attached }) => attached === false, 'has no hidden terminal');
  expect([timesReceived('scene:hello fourth'), daemons().length]).toEqual([1, 1]);
});

test('a shell in the background keeps a session from being parked', async () => {
  await cbos.call('POST', '/sessions/PARK/send', { text: 'scene:shell' });
  const isOver = ({ status }: Session): boolean => status.primary === 'idle' && status.because.evidence === 'It runs.';
  await cbos.until('PARK', isOver, 'has left its shell running');
  expect((await park()).error).toMatchObject({ code: 'not_parkable', reason: 'background' });
});
