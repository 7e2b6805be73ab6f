#!/usr/bin/env node
// A session without a model that speaks Claude Code's stream-json. It writes each prompt and each answer that it gets
// into the file TORTURE_WITNESS before it does anything else, so the file outlives every server.
//
// It keeps a transcript, as Claude Code does. CBOS continues no conversation whose transcript is gone.
//
// A prompt that contains `ask` makes the session ask for permission, and no other prompt is run before the answer.
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { transcriptOf } from '../stand-in/transcript.mjs';

if (process.argv[2] === '--version') {
  process.stdout.write('2.1.330 (Claude Code)\n');
  process.exit(0);
}

const session_id = process.argv[process.argv.findIndex((word) => word === '--session-id' || word === '--resume') + 1];
const witness = process.env.TORTURE_WITNESS ?? '';
const transcript = transcriptOf(process.cwd(), session_id ?? '');
mkdirSync(dirname(transcript), { recursive: true });
let count = 0;
const uuid = () => `00000000-0000-4000-8000-${String(process.pid).padStart(8, '0')}${String(++count).padStart(4, '0')}`;
/** @param {object} event */
const say = (event) => process.stdout.write(`${JSON.stringify({ ...event, session_id, uuid: uuid() })}\n`);
/** @param {'user' | 'assistant'} type @param {unknown} content */
const remember = (type, content) => {
  const line = { type, message: { role: type, content }, sessionId: session_id, uuid: uuid() };
  appendFileSync(transcript, `${JSON.stringify(line)}\n`);
};
/** @param {object} seen */
const testify = (seen) => appendFileSync(witness, `${JSON.stringify(seen)}\n`);

/** @type {{ id: string, text: string }[]} */
const waiting = [];
/** @type {Map<string, string>} the open requests, each with the mark of its prompt */
const asked = new Map();
/** @type {{ id: string, text: string } | null} */
let running = null;

function runNext() {
  const next = waiting.shift();
  if (next === undefined) {
    running = null;
    say({ type: 'system', subtype: 'session_state_changed', state: 'idle' });
    return;
  }
  running = next;
  const { id, text } = next;
  remember('user', text);
  say({ type: 'system', subtype: 'session_state_changed', state: 'running' });
  say({ type: 'command_lifecycle', command_uuid: id, state: 'started' });
  const replay = { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, isReplay: true };
  process.stdout.write(`${JSON.stringify({ ...replay, session_id, uuid: id })}\n`);
  if (!text.startsWith('ask ')) return finish();
  const input = { command: text };
  const tool = { type: 'tool_use', id: uuid(), name: 'Bash', input };
  remember('assistant', [tool]);
  say({ type: 'assistant', message: { role: 'assistant', content: [tool] }, parent_tool_use_id: null });
  const request_id = uuid();
  asked.set(request_id, text);
  say({ type: 'system', subtype: 'session_state_changed', state: 'requires_action' });
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: tool.id };
  say({ type: 'control_request', request_id, request: { ...request, permission_suggestions: [] } });
}

function finish() {
  say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', total_cost_usd: 0 });
  say({ type: 'command_lifecycle', command_uuid: running?.id, state: 'completed' });
  runNext();
}

createInterface({ input: process.stdin }).on('line', (line) => {
  if (line === '') return;
  const message = JSON.parse(line);
  if (message.type === 'user') {
    const { uuid: id, message: inner } = message;
    testify({ kind: 'prompt', text: inner.content });
    say({ type: 'command_lifecycle', command_uuid: id, state: 'queued' });
    waiting.push({ id, text: inner.content });
    if (running === null) runNext();
  } else if (message.type === 'control_response') {
    const { request_id, response } = message.response;
    const text = asked.get(request_id) ?? `no request ${request_id}`;
    testify({ kind: 'answer', text, choice: response.behavior === 'allow' ? 'yes' : 'no' });
    // A second answer to the same request must not end another prompt's turn.
    if (text === running?.text) finish();
  } else if (message.type === 'control_request') {
    say({ type: 'control_response', response: { subtype: 'success', request_id: message.request_id, response: {} } });
  }
});
