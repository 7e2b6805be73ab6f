import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  // Slow enough that the answer is written for longer than a frame, even on a machine that runs ten other programs.
  world = await claudeWorld({ pace: 12 });
  cbos = await startCbos(world);
});
afterEach(async () => {
  for (const { slug } of (await cbos.call<Session[]>('GET', '/sessions')).body) {
    await cbos.call('DELETE', `/sessions/${slug}`);
  }
  world.apiEvents.length = 0;
});
afterAll(() => world.dispose());

describe('a real turn', () => {
  test('goes from ready through thinking and responding to waiting for input, and every change reaches a client', async () => {
    const watcher = await cbos.watch();
    const created = await cbos.call<Session>('POST', '/sessions', {
      slug: 'HELLO',
      type: 'screen',
      path: world.projectDir,
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ slug: 'HELLO', type: 'screen', cols: 160, rows: 45, path: world.projectDir });
    await cbos.untilStatus('HELLO', 'idle/ready');

    const text = 'scene:hello please\nwith a second line';
    const sent = await cbos.call<Delivery>('POST', '/sessions/HELLO/send', { text });
    expect(sent.body).toMatchObject({ status: 'delivered', removed: 0 });
    const done = await cbos.untilStatus('HELLO', 'idle/waiting_input');

    expect(done.state).toBe('waiting');
    expect(done.claude_session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(done.buffer_tail).toContain('❯');
    expect(world.promptsReceived()).toEqual([text]);
    const expected = ['idle/ready', 'active/thinking', 'active/responding', 'idle/waiting_input'];
    expect(watcher.statuses('HELLO')).toEqual(expected);
    const history = await cbos.call<{ primary: string; detail: string }[]>('GET', '/sessions/HELLO/history');
    expect(history.body.slice(-4).map((change) => `${change.primary}/${change.detail}`)).toEqual(expected);
  });

  test('that ends in an API error leaves the session idle with the error, ready for the next prompt', async () => {
    await cbos.cli(['new', 'FAIL', world.projectDir, '--prompt', 'scene:fail please']);
    const failed = await cbos.untilStatus('FAIL', 'idle/error');
    expect(failed.state).toBe('error');
    const next = await cbos.call<Delivery>('POST', '/sessions/FAIL/send', { text: 'scene:hello again' });
    expect(next.body.status).toBe('delivered');
    await cbos.untilStatus('FAIL', 'idle/waiting_input');
  });

  test('that runs a tool shows the tool and ends waiting for input', async () => {
    const watcher = await cbos.watch();
    await cbos.call('POST', '/sessions', {
      slug: 'TOOLS',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:tools please',
    });
    const working = await cbos.untilStatus('TOOLS', 'active/using_tools');
    expect(working).toMatchObject({
      state: 'working',
      status: { because: { source: 'hook', rule: 'hook.PreToolUse' } },
    });
    await cbos.untilStatus('TOOLS', 'idle/waiting_input', 30_000);
    expect(watcher.statuses('TOOLS')).not.toContain('waiting/permission');
  });

  test('that ends with a question in words waits for the answer and takes it as a prompt', async () => {
    await cbos.call('POST', '/sessions', {
      slug: 'QUERY',
      type: 'screen',
      path: world.projectDir,
      prompt: 'scene:query please',
    });
    const asked = await cbos.untilStatus('QUERY', 'waiting/question');
    expect(asked.status.question).toMatchObject({ kind: 'closing', options: [] });
    const answered = await cbos.cli(['answer', 'QUERY', 'scene:hello', 'and', 'go', 'on']);
    expect(answered).toMatchObject({ code: 0, stderr: '' });
    await cbos.untilStatus('QUERY', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['scene:query please', 'scene:hello and go on']);
  });
});
