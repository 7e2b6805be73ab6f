import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, LastResponse } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '2' });
  json = jsonSessions(world, () => cbos);
});
afterEach(() => world.dispose());

/** Reports whether the last request to the model contains this text, written as JSON. */
const wasTold = (text: string): boolean =>
  JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request')).includes(text);

describe('a JSON session', () => {
  test('runs several turns in one process, and after a quiet time continues the conversation in the next one', async () => {
    const created = await json.create('TALK');
    expect(created).toMatchObject({
      type: 'json',
      state: 'idle',
      json_state: 'idle',
      permission_mode: 'default',
      pid: null,
    });
    expect(created.status.because.source).toBe('json');
    expect(json.agents()).toBe(0);

    const watcher = await cbos.watch();
    watcher.send({ type: 'subscribe', sessions: ['*'] });
    const first = await json.invoke('TALK', 'scene:hello one');
    expect(first.status).toBe(202);
    expect((await json.invoke('TALK', 'scene:hello too soon')).error?.code).toBe('already_running');
    const done = await cbos.untilStatus('TALK', 'idle/waiting_input');
    expect(done).toMatchObject({ json_state: 'complete', state: 'waiting', model: 'claude-opus-5-5' });
    const sent = await cbos.call<Delivery>('POST', '/sessions/TALK/send', { text: 'scene:read two' });
    expect(sent.body).toMatchObject({ status: 'delivered', removed: 0 });
    await cbos.until('TALK', (one) => one.json_state === 'complete', 'is complete');
    expect(json.agents()).toBe(1);

    await json.untilNoAgent();
    const quiet = await cbos.until('TALK', ({ pid }) => pid === null, 'has no process');
    expect(quiet).toMatchObject({ json_state: 'complete', state: 'waiting' });
    const third = await cbos.call<Delivery>('POST', '/sessions/TALK/send', { text: 'scene:hello three' });
    expect(third.body.status).toBe('delivered');
    await cbos.until('TALK', (one) => one.json_state === 'complete', 'is complete');
    expect((await cbos.session('TALK')).claude_session_id).toBe(quiet.claude_session_id);
    expect(world.promptsReceived()).toEqual(['scene:hello one', 'scene:read two', 'scene:hello three']);
    // The model received the whole conversation so far.
    expect(wasTold('scene:read two')).toBe(true);

    const all = await json.events('TALK');
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.filter(({ event }) => event.type === 'result')).toHaveLength(3);
    const live = watcher.frames.filter((frame) => frame.type === 'claude_event');
    expect(live.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq));
    const response = await cbos.call<LastResponse>('GET', '/sessions/TALK/last-response');
    expect(response.body).toMatchObject({ text: 'Hello! I am ready when you are.' });
    expect(response.body.cost_usd).toBeGreaterThan(0);
    const buffer = await cbos.call<{ buffer: string }>('GET', '/sessions/TALK/buffer');
    expect(buffer.body.buffer).toContain('❯ scene:read two\n\n● Let me look.\n\n● Read: ');
  });

  test('asks for a permission, takes a yes and a no with a reason, and a question by its label', async () => {
    await json.create('ASK');
    await json.invoke('ASK', 'scene:permission first');
    const asking = await cbos.untilStatus('ASK', 'waiting/permission');
    expect(asking).toMatchObject({ json_state: 'waiting_permission', state: 'waiting' });
    expect(asking.status.question).toMatchObject({ kind: 'permission', text: 'Bash: touch ../marker.txt' });
    expect((await cbos.call('POST', '/sessions/ASK/send', { text: 'hm' })).error?.code).toBe('not_accepting_text');
    expect((await json.answer('ASK', { choice: 'yes', question_id: 'other' })).error?.code).toBe('stale_question');
    expect((await json.answer('ASK', { choice: 'yes' })).status).toBe(200);
    await cbos.untilStatus('ASK', 'idle/waiting_input');
    expect(existsSync(join(world.dir, 'marker.txt'))).toBe(true);

    await json.invoke('ASK', 'scene:permission-twice second');
    await cbos.untilStatus('ASK', 'waiting/permission');
    expect((await json.answer('ASK', { choice: 'no', text: 'not that one' })).status).toBe(200);
    await cbos.until('ASK', (one) => one.status.question?.text.includes('second.txt') === true, 'asks for the second');
    expect((await json.answer('ASK', { choice: 3 })).status).toBe(200);
    await cbos.untilStatus('ASK', 'idle/waiting_input');
    expect(existsSync(join(world.dir, 'first.txt'))).toBe(false);
    expect(wasTold('not that one')).toBe(true);

    await json.invoke('ASK', 'scene:ask third');
    const question = await cbos.untilStatus('ASK', 'waiting/question');
    expect(question.status.question?.options.map(({ label }) => label)).toEqual([
      'SQLite',
      'PostgreSQL',
      'None',
      'Type something.',
    ]);
    expect((await json.answer('ASK', { text: 'PostgreSQL' })).status).toBe(200);
    await cbos.untilStatus('ASK', 'idle/waiting_input');
    expect(wasTold('Which database shall the service use?\\"=\\"PostgreSQL')).toBe(true);
  });

  test('is interrupted during a turn, and shows an API error, each time ready for the next prompt', async () => {
    await json.create('STOP');
    expect((await cbos.call('POST', '/sessions/STOP/interrupt')).error?.code).toBe('nothing_running');
    await json.invoke('STOP', 'scene:long please');
    await cbos.untilStatus('STOP', 'active/responding');
    expect((await cbos.call('POST', '/sessions/STOP/interrupt')).status).toBe(200);
    const stopped = await cbos.session('STOP');
    expect(stopped.status).toMatchObject({
      primary: 'idle',
      detail: 'waiting_input',
      because: { rule: 'json.interrupted' },
    });
    await json.invoke('STOP', 'scene:fail please');
    const failed = await cbos.untilStatus('STOP', 'idle/error');
    expect(failed).toMatchObject({ json_state: 'error', state: 'error' });
    expect(failed.status.because.evidence).toContain('The scene refuses this request');
    await json.invoke('STOP', 'scene:hello again');
    await cbos.untilStatus('STOP', 'idle/waiting_input');
  });

  test('whose process is killed in the middle of a turn shows the turn as interrupted, runs nothing twice, and continues at the next prompt', async () => {
    await json.create('KILLED');
    await json.invoke('KILLED', 'scene:hello before');
    await cbos.untilStatus('KILLED', 'idle/waiting_input');
    await json.invoke('KILLED', 'scene:permission please');
    await cbos.untilStatus('KILLED', 'waiting/permission');
    const { pid } = await cbos.session('KILLED');
    process.kill(pid ?? -1, 'SIGKILL');
    const dead = await cbos.untilStatus('KILLED', 'idle/error');
    expect(dead.status.because.evidence).toContain('(SIGKILL)');
    expect(dead.json_state).toBe('error');
    await cbos.until('KILLED', (session) => session.pid === null, 'has no process');
    expect((await json.answer('KILLED', { choice: 'yes' })).error?.code).toBe('no_question');
    await json.invoke('KILLED', 'scene:hello after');
    await cbos.untilStatus('KILLED', 'idle/waiting_input');
    expect(world.promptsReceived().filter((prompt) => prompt.includes('permission please'))).toHaveLength(1);
    expect(world.promptsReceived().at(-1)).toContain('scene:hello after');
    expect(existsSync(join(world.dir, 'marker.txt'))).toBe(false);
  });
});
