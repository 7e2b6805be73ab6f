import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { startClaudeInScreen } from '../harness/claude-in-screen.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  json = jsonSessions(world, () => cbos);
});
afterEach(() => world.dispose());

describe('a server that is killed during a turn', () => {
  test('loses and repeats no event that Claude Code had written: the turn continues and is found again', async () => {
    cbos = await startCbos(world);
    await json.create('TURN');
    await json.invoke('TURN', 'scene:tools please');
    await cbos.untilStatus('TURN', 'active/using_tools');
    const before = await json.events('TURN');
    await cbos.stop('SIGKILL');
    expect(json.agents()).toBe(1);
    await waitFor(() => world.apiEvents.filter((event) => event.kind === 'end').length === 2, {
      describe: 'the turn ends without a server',
      timeoutMs: 20_000,
    });
    cbos = await startCbos(world);
    await cbos.untilStatus('TURN', 'idle/waiting_input');
    const all = await json.events('TURN');
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.slice(0, before.length)).toEqual(before);
    const ids = all.flatMap(({ event }) => (typeof event.uuid === 'string' ? [event.uuid] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(all.filter(({ event }) => event.type === 'result')).toHaveLength(1);
    expect(all.at(-1)?.event).toMatchObject({ subtype: 'session_state_changed', state: 'idle' });
    // The same process takes the next prompt.
    expect((await cbos.call<Delivery>('POST', '/sessions/TURN/send', { text: 'scene:hello' })).body.status).toBe(
      'delivered',
    );
    await cbos.until('TURN', (one) => one.json_state === 'complete', 'is complete');
    expect(json.agents()).toBe(1);
    expect(world.promptsReceived()).toEqual(['scene:tools please', 'scene:hello']);
  });

  test('again and again, at any moment, leaves a question that can be answered once', async () => {
    cbos = await startCbos(world);
    await json.create('ASKS');
    await json.invoke('ASKS', 'scene:permission please');
    for (let time = 0; time < 3; time++) {
      await cbos.stop('SIGKILL');
      cbos = await startCbos(world);
    }
    await cbos.untilStatus('ASKS', 'waiting/permission');
    // This server has saved the question, and Claude Code will write nothing that shows it again.
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    const asking = await cbos.until('ASKS', ({ status }) => status.question !== null, 'asks again');
    expect(asking.pid).not.toBeNull();
    expect((await json.answer('ASKS', { choice: 'yes', question_id: asking.status.question?.id })).status).toBe(200);
    await cbos.untilStatus('ASKS', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['scene:permission please']);
    expect((await json.events('ASKS')).filter(({ event }) => event.type === 'result')).toHaveLength(1);
  });

  test('whose Claude Code dies at that moment shows the turn as interrupted', async () => {
    cbos = await startCbos(world);
    await json.create('GONE');
    await json.invoke('GONE', 'scene:silent please');
    await waitFor(() => world.promptsReceived().length === 1, { describe: 'the prompt arrives', timeoutMs: 20_000 });
    const { pid } = await cbos.session('GONE');
    await cbos.stop('SIGKILL');
    process.kill(pid ?? -1, 'SIGKILL');
    cbos = await startCbos(world);
    const found = await cbos.untilStatus('GONE', 'idle/error');
    expect(found).toMatchObject({ json_state: 'error', pid: null });
    expect(found.status.because.evidence).toContain('CBOS does not run the turn again');
    const restarted = await cbos.cli(['restart', 'GONE']);
    expect(restarted).toMatchObject({ code: 4, stderr: expect.stringContaining('GONE has no process to restart') });
  });
});

describe('a Claude Code that misbehaves causes a clear error, and the session can be used afterwards', () => {
  /** Writes a program that reports the version of the real one and otherwise runs these shell lines. */
  function stub(...lines: string[]): string {
    const file = join(world.dir, 'stub-claude');
    const version = 'if [ "$1" = --version ]; then echo "2.1.329 (Claude Code)"; exit; fi';
    writeFileSync(
      file,
      ['#!/bin/bash', version, `if [ -e ${world.dir}/mended ]; then exec ${world.claude} "$@"; fi`, ...lines].join(
        '\n',
      ),
    );
    chmodSync(file, 0o755);
    return file;
  }
  async function mend(slug: string): Promise<void> {
    writeFileSync(join(world.dir, 'mended'), '');
    await json.untilNoAgent();
    const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: 'scene:hello at last' });
    expect(sent.body, JSON.stringify(sent.error)).toMatchObject({ status: 'delivered' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['scene:hello at last']);
  }
  const EVENT = (text: string) => JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
  const RESULT = JSON.stringify({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'ok',
    total_cost_usd: 0,
  });

  test('by ending at once', async () => {
    cbos = await startCbos(world, {
      CBOS_CLAUDE_COMMAND: stub('echo "error: unknown option --frobnicate" >&2; exit 3'),
    });
    await json.create('ENDS');
    const sent = await cbos.call('POST', '/sessions/ENDS/send', { text: 'hello' });
    expect(sent.error).toMatchObject({ code: 'launch_failed' });
    expect(sent.error?.message).toContain('unknown option --frobnicate');
    const invoked = await json.invoke('ENDS', 'hello');
    if (invoked.status === 202) await cbos.untilStatus('ENDS', 'idle/error');
    expect((await json.events('ENDS')).at(-1)?.event).toMatchObject({ type: 'error' });
    await mend('ENDS');
  });

  test('by writing garbage, half a line and a line of 20 MB', async () => {
    const big = `head -c 20000000 /dev/zero | tr '\\0' x; echo`;
    const lines = [
      'read line',
      'echo "this is no JSON"',
      big,
      `echo '${EVENT('between')}'`,
      `printf '%s' '{"type":"assis'; sleep 0.1; echo 'tant"}'`,
    ];
    cbos = await startCbos(world, {
      CBOS_CLAUDE_COMMAND: stub(...lines, `echo '${RESULT}'`, `printf 'half a line'`, 'exit 0'),
    });
    await json.create('GARBAGE');
    await json.invoke('GARBAGE', 'hello');
    await cbos.untilStatus('GARBAGE', 'idle/waiting_input');
    await json.untilNoAgent();
    await cbos.until('GARBAGE', ({ pid }) => pid === null, 'has no process');
    const events = (await json.events('GARBAGE')).map(({ event }) => event);
    expect(events.map(({ type }) => type)).toEqual(['raw', 'raw', 'assistant', 'assistant', 'result', 'raw']);
    expect(events[0]).toEqual({ type: 'raw', content: 'this is no JSON' });
    expect(events[1]?.content).toMatch(/^x{10000}… \(20000000 bytes\)$/);
    expect(events.at(-1)).toEqual({ type: 'raw', content: 'half a line' });
    // This program answered without writing a transcript, so there is no conversation to continue.
    const refused = await cbos.call('POST', '/sessions/GARBAGE/send', { text: 'hello' });
    expect(refused.error).toMatchObject({ code: 'no_such_conversation' });
    expect(await cbos.cli(['restart', 'GARBAGE', '--new-conversation'])).toMatchObject({ code: 0 });
    await mend('GARBAGE');
  });

  test('by ending the turn with its answer although it accepts an interrupt', async () => {
    const accepted = '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n';
    const id = `$(echo "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')`;
    const onInterrupt = `*interrupt*) printf '${accepted}' "${id}"; echo '${RESULT}' ;;`;
    const stubborn = stub(
      'read line',
      `echo '${EVENT('at work')}'`,
      `while read line; do case $line in ${onInterrupt} esac; done`,
    );
    cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: stubborn });
    await json.create('ANSWERS');
    await json.invoke('ANSWERS', 'hello');
    await cbos.until('ANSWERS', ({ status }) => status.primary === 'active', 'is working');
    await cbos.cli(['send', 'ANSWERS', '--queue', 'more']);
    const refused = await cbos.cli(['interrupt', 'ANSWERS']);
    expect([refused.code, refused.stdout]).toEqual([6, '']);
    expect(refused.stderr).toContain('the turn of ANSWERS ended on its own');
    expect(refused.stderr).toContain('cbos queue resume ANSWERS');
  });

  test('by reading an interrupt only in the next turn, which it ends', async () => {
    const accepted = '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\\n';
    const id = `$(echo "$line" | sed 's/.*"request_id":"\\([^"]*\\)".*/\\1/')`;
    const aborted = JSON.stringify({ ...JSON.parse(RESULT), terminal_reason: 'aborted_streaming' });
    const onInterrupt = `*interrupt*) echo '${RESULT}'; printf '${accepted}' "${id}"; sleep 0.5; echo '${aborted}' ;;`;
    const queued = '{"type":"command_lifecycle","command_uuid":"%s","state":"queued"}\\n';
    const uuid = `$(echo "$line" | sed 's/.*"uuid":"\\([^"]*\\)".*/\\1/')`;
    const onPrompt = `*more*) printf '${queued}' "${uuid}" ;;`;
    const late = stub(
      'read line',
      `echo '${EVENT('at work')}'`,
      `while read line; do case $line in ${onInterrupt} ${onPrompt} esac; done`,
    );
    cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: late });
    await json.create('NEXT');
    await json.invoke('NEXT', 'hello');
    await cbos.until('NEXT', ({ status }) => status.primary === 'active', 'is working');
    expect((await cbos.call<Delivery>('POST', '/sessions/NEXT/send', { text: 'more' })).body.status).toBe('delivered');
    expect(await cbos.cli(['interrupt', 'NEXT'])).toMatchObject({ code: 0, stderr: '' });
    expect((await cbos.session('NEXT')).status).toMatchObject({ primary: 'idle', interrupted: true });
  });

  test('by ignoring SIGTERM: it is killed', async () => {
    cbos = await startCbos(world, {
      CBOS_CLAUDE_COMMAND: stub(`trap '' TERM`, 'read line', `echo '${RESULT}'`, 'while true; do sleep 0.2; done'),
      CBOS_JSON_IDLE_TIMEOUT: '1',
    });
    await json.create('STUBBORN');
    await json.invoke('STUBBORN', 'hello');
    await cbos.untilStatus('STUBBORN', 'idle/waiting_input');
    const { pid } = await cbos.session('STUBBORN');
    await cbos.until('STUBBORN', (one) => one.pid === null, 'has no process', 20_000);
    expect(world.processes().some((one) => one.pid === pid)).toBe(false);
    await mend('STUBBORN');
  });

  test('by not being there', async () => {
    cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: join(world.dir, 'no-claude') });
    const refused = await cbos.call<Session>('POST', '/sessions', {
      slug: 'NONE',
      path: world.projectDir,
      type: 'json',
    });
    expect(refused).toMatchObject({ status: 422, error: { code: 'claude_not_found' } });
    expect((await cbos.call<Session[]>('GET', '/sessions')).body).toEqual([]);
  });

  test('by being open elsewhere: two of them would corrupt the conversation', async () => {
    cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
    await json.create('TWICE');
    await json.invoke('TWICE', 'scene:hello');
    const { claude_session_id: id } = await cbos.untilStatus('TWICE', 'idle/waiting_input');
    await json.untilNoAgent();
    const terminal = { slug: 'ELSEWHERE', type: 'screen', path: world.projectDir, args: ['--resume', id] };
    expect(await cbos.call('POST', '/sessions', terminal)).toMatchObject({ error: { code: 'session_in_use' } });

    const elsewhere = await startClaudeInScreen(world, { conversation: { kind: 'resume', sessionId: id ?? '' } });
    await elsewhere.waitForScreen(/❯/);
    expect((await json.invoke('TWICE', 'scene:hello')).status).toBe(409);
    expect(json.agents()).toBe(0);
    process.kill(elsewhere.pid, 'SIGTERM');
    await waitFor(() => !existsSync(`/proc/${elsewhere.pid}`), { describe: 'the other Claude Code has ended' });
    expect((await json.invoke('TWICE', 'scene:hello again')).status).toBe(202);
    await cbos.until('TWICE', (one) => one.json_state === 'complete', 'is complete');
  });
});

test('prompts that come at once to a session without a process start only one process', async () => {
  cbos = await startCbos(world);
  await json.create('ONE');
  const texts = Array.from({ length: 5 }, (_, index) => `scene:hello ${index}`);
  const sent = await Promise.all(
    texts.map((text) => cbos.call<Delivery>('POST', '/sessions/ONE/send', { text, queue: true })),
  );
  expect(sent.map(({ body }) => body.status)).not.toContain('failed');
  let most = 0;
  await waitFor(
    () => {
      most = Math.max(most, json.agents());
      return world.promptsReceived().length === 5;
    },
    { describe: 'all prompts arrive', timeoutMs: 30_000, actual: () => world.promptsReceived() },
  );
  expect(most).toBe(1);
  // Requests on separate connections may arrive in any order.
  expect(world.promptsReceived().toSorted()).toEqual(texts);
  // One process has two files, its output and its errors; its input is a FIFO. The third file is the card that brings
  // the session back.
  const files = readdirSync(join(world.cbosHome, 'json'), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files).toHaveLength(3);
});
