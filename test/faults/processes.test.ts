import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { jsonSessions } from '../harness/json-session.ts';
import { stopProcess } from '../harness/stop-process.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';
import { processesOf, type SessionProcesses } from './harness/signals.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());
// A test that failed leaves its sessions behind. The next attempt launches sessions with the same names.
afterEach(async () => {
  for (const { slug } of (await cbos.call<Session[]>('GET', '/sessions')).body) await remove(slug);
});

const launch = async (slug: string): Promise<Session> => {
  const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect(created.error).toBeNull();
  return cbos.untilStatus(slug, 'idle/ready');
};
const send = (slug: string, text: string) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text });
const remove = (slug: string) => cbos.call('DELETE', `/sessions/${slug}`);
const received = (word: string): string[] => world.promptsReceived().filter((prompt) => prompt.includes(word));

test.each<[string, keyof SessionProcesses]>([
  ['Its recorder', 'recorder'],
  ["Screen's daemon", 'daemon'],
])(
  '%s is killed: the session is shown as dead, nothing of it is left, and a restart continues its conversation',
  async (_, victim) => {
    const session = await launch('KILLED');
    expect((await send('KILLED', `scene:hello before ${victim}`)).body.status).toBe('delivered');
    await cbos.untilStatus('KILLED', 'idle/waiting_input');
    process.kill((await processesOf(session))[victim], 'SIGKILL');
    const dead = await cbos.until('KILLED', ({ state }) => state === 'dead', 'is dead');
    expect(dead.status.because.source).toBe('process');
    const left = () => world.processes().filter(({ pid }) => pid !== cbos.pid);
    await waitFor(() => left().length === 0, { describe: 'nothing is left of it', actual: left });
    expect((await cbos.call('POST', '/sessions/KILLED/restart')).error).toBeNull();
    await cbos.untilStatus('KILLED', 'idle/waiting_input');
    expect((await send('KILLED', `scene:hello after ${victim}`)).body.status).toBe('delivered');
    const last = await waitFor(
      () => world.apiEvents.findLast((event) => event.kind === 'request' && event.prompt.includes(`after ${victim}`)),
      { describe: 'the prompt arrives' },
    );
    expect(JSON.stringify(last)).toContain(`before ${victim}`);
    await remove('KILLED');
  },
);

test('an interrupt that ends Claude Code says so', async () => {
  await using own = createWorld();
  const program = join(own.dir, 'ends-at-a-key');
  const line = '─'.repeat(160);
  const screen = `✻ Brewing… (2s · esc to interrupt)\n\n${line}\n❯ \n${line}\n  ⏸ manual mode on · esc to interrupt\n`;
  writeFileSync(join(own.dir, 'screen'), screen);
  writeFileSync(
    program,
    `#!/bin/sh
[ "$1" = --version ] && { echo '2.1.330 (Claude Code)'; exit; }
stty -icanon -echo
cat ${join(own.dir, 'screen')}
dd bs=1 count=1 2>/dev/null`,
    { mode: 0o700 },
  );
  const server = await startCbos(own, { CBOS_CLAUDE_COMMAND: program });
  const created = await server.call('POST', '/sessions', { slug: 'ENDS', type: 'screen', path: own.projectDir });
  expect(created.error).toBeNull();
  await server.until('ENDS', ({ status }) => status.primary === 'active', 'is working');
  const ended = await server.cli(['interrupt', 'ENDS']);
  expect(ended).toMatchObject({ code: 4, stderr: expect.stringContaining('Claude Code in ENDS has ended') });
});

test("Screen's daemon of one session is stopped: only that session is refused, with the cure, and continues afterwards", async () => {
  const { daemon } = await processesOf(await launch('STOPPED'));
  await launch('OTHER');
  await stopProcess(daemon);
  const [stopped, other] = await Promise.all([
    send('STOPPED', 'scene:hello stopped'),
    send('OTHER', 'scene:hello other'),
  ]);
  expect(stopped).toMatchObject({
    status: 503,
    error: { code: 'screen_unresponsive', hint: `Resume it: \`kill -CONT ${daemon}\`` },
  });
  expect(other.body.status).toBe('delivered');
  expect((await cbos.cli(['doctor'])).stdout).toContain(`kill -CONT ${daemon}`);
  process.kill(daemon, 'SIGCONT');
  await cbos.until('STOPPED', ({ status }) => status.because.rule !== 'process.stopped', 'is known to go on');
  expect(await send('STOPPED', 'scene:hello continued')).toMatchObject({ error: null, body: { status: 'delivered' } });
  await cbos.untilStatus('STOPPED', 'idle/waiting_input');
  expect([received('stopped'), received('continued')]).toEqual([[], ['scene:hello continued']]);
  await remove('STOPPED');
  await remove('OTHER');
});

test('names that begin like others, are numbers, or belong to another Screen session: each text goes to its own session, and a stop ends only one', async () => {
  const first = await launch('A');
  // A session as a person starts it. Screen itself finds sessions by the beginning of their name or pid.
  const pid = first.screen_id?.split('.')[0] ?? '';
  spawnSync('screen', ['-dmS', 'A', 'sleep', '1000'], { env: world.env });
  const slugs = ['A', 'AA', pid];
  for (const slug of slugs.slice(1)) await launch(slug);
  const sent = await Promise.all(slugs.map((slug) => send(slug, `scene:hello to-${slug}-alone`)));
  expect(sent.map(({ body }) => body.status)).toEqual(['delivered', 'delivered', 'delivered']);
  for (const slug of slugs) {
    const { body } = await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer?lines=45`);
    expect(body.buffer.match(/to-\w+-alone/g)).toEqual([`to-${slug}-alone`]);
  }
  await remove('A');
  expect(
    readdirSync(world.screenDir)
      .map((name) => name.split('.')[1])
      .sort(),
  ).toEqual([pid, 'A', 'AA'].sort());
  for (const slug of slugs.slice(1)) {
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'lives');
    await remove(slug);
  }
});

test('sizes that are set without a pause while an answer is written: the last one takes effect, and the turn continues', async () => {
  await launch('SIZES');
  expect((await send('SIZES', 'scene:think sizes')).body.status).toBe('delivered');
  const sizes = Array.from({ length: 30 }, (_, n) => ({ cols: 60 + ((n * 37) % 120), rows: 15 + ((n * 11) % 40) }));
  const resize = (size: object) => cbos.call('POST', '/sessions/SIZES/resize', size);
  const answers = await Promise.all(sizes.map(resize));
  expect(answers.filter(({ error }) => error !== null)).toEqual([]);
  expect((await resize({ cols: 91, rows: 31 })).error).toBeNull();
  const done = await cbos.untilStatus('SIZES', 'idle/waiting_input');
  expect(done).toMatchObject({ cols: 91, rows: 31 });
  const { body } = await cbos.call<{ buffer: string }>('GET', '/sessions/SIZES/buffer?lines=31');
  expect(body.buffer).toMatch(/^─{91}$/m);
  expect(received('sizes')).toEqual(['scene:think sizes']);
  await remove('SIZES');
});

test('garbage in the input of a JSON session ends its Claude Code: it is shown as an error, and the next prompt starts another', async () => {
  const json = jsonSessions(world, () => cbos);
  await json.create('GARBAGE');
  await json.invoke('GARBAGE', 'scene:silent');
  await cbos.untilStatus('GARBAGE', 'active/thinking');
  const folder = join(world.cbosHome, 'json');
  const input = readdirSync(folder).find((name) => name.endsWith('.in')) ?? '';
  appendFileSync(join(folder, input), 'this is no JSON\n');
  const failed = await cbos.untilStatus('GARBAGE', 'idle/error');
  expect(failed.status.because.evidence).toContain('Error parsing streaming input line');
  const sent = await cbos.call<Delivery>('POST', '/sessions/GARBAGE/send', { text: 'scene:hello garbage is over' });
  expect(sent.body.status).toBe('delivered');
  await cbos.untilStatus('GARBAGE', 'idle/waiting_input');
  expect(received('garbage')).toEqual(['scene:hello garbage is over']);
  await remove('GARBAGE');
});
