import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  derive,
  JSON_RULES,
  type JsonEvidence,
  jsonState,
  NO_EVENTS,
  NO_HOOKS,
  observeEvent,
  observePrompt,
  readByRules,
} from '../../../src/core/status/index.ts';
import { type ClaudeEvent, StoredEvent } from '../../../src/protocol/index.ts';

const RECORDED = fileURLToPath(new URL('../../fixtures/json-events/2.1.329', import.meta.url));
const PROMPT = { id: 'p1', at: 0, text: 'do it' };

function recorded(name: string): StoredEvent[] {
  const lines = readFileSync(join(RECORDED, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => StoredEvent.parse(JSON.parse(line)));
}

/** The evidence after each event. */
function steps(events: readonly StoredEvent[]): JsonEvidence[] {
  let evidence = NO_EVENTS;
  return events.map(({ event, timestamp }) => {
    evidence = observeEvent(evidence, event, timestamp * 1_000);
    return evidence;
  });
}

const statusOf = (json: JsonEvidence) =>
  derive({ process: null, screen: null, hooks: NO_HOOKS, registry: null, json }, json.lastAt ?? 0);
const wordOf = (json: JsonEvidence): string => `${statusOf(json).primary}/${statusOf(json).detail}`;

/** The statuses that recorded events go through, each once. */
function words(name: string): string[] {
  const all = steps(recorded(name)).map(wordOf);
  return all.filter((word, index) => word !== all[index - 1]);
}

const following = (start: JsonEvidence, ...events: ClaudeEvent[]): JsonEvidence =>
  events.reduce((evidence, event, index) => observeEvent(evidence, event, 1_000 + index), start);
const failure: ClaudeEvent = { type: 'error', message: 'Claude Code ended (SIGKILL)' };
const compacting: ClaudeEvent = { type: 'system', subtype: 'status', status: 'compacting' };

describe('the recorded events of the real Claude Code go through the right statuses', () => {
  test.each([
    ['hello', ['active/thinking', 'active/responding', 'idle/waiting_input']],
    ['permission', ['active/using_tools', 'waiting/permission', 'active/using_tools', 'idle/waiting_input']],
    ['question', ['active/thinking', 'waiting/question', 'active/responding', 'idle/waiting_input']],
    ['questions', ['waiting/question', 'idle/waiting_input']],
    ['plan', ['waiting/plan', 'idle/waiting_input']],
    ['tools', ['active/thinking', 'active/responding', 'active/using_tools', 'idle/waiting_input']],
    ['interrupt', ['active/responding', 'active/thinking', 'active/responding', 'idle/waiting_input']],
    ['error', ['active/thinking', 'idle/error', 'active/thinking', 'active/responding', 'waiting/question']],
  ])('%s', (name, expected) => {
    const all = words(name);
    // In this order, others between them.
    let from = 0;
    for (const word of expected) {
      const at = all.indexOf(word, from);
      expect(at, `${word} after ${all.slice(0, from)} in ${all}`).toBeGreaterThanOrEqual(from);
      from = at + 1;
    }
    expect(all.at(-1)).toBe(expected.at(-1));
    expect(all).not.toContain('null/null');
  });
});

describe('each rule decides', () => {
  const seen = readdirSync(RECORDED).flatMap((file) => steps(recorded(file.replace('.jsonl', ''))));
  // Compaction needs a long conversation, an interrupt was followed by another prompt: these two are made by hand.
  const made = [NO_EVENTS, following(observePrompt(NO_EVENTS, PROMPT), compacting), following(NO_EVENTS, failure)];
  const said = (rules: typeof JSON_RULES, json: JsonEvidence): string => {
    const { primary, detail, evidence, since } = readByRules('json', rules, json) ?? {};
    return `${primary}/${detail} since ${since}: ${evidence}`;
  };
  test.each(JSON_RULES.map(({ id }) => id))('%s', (id) => {
    const fewer = JSON_RULES.filter((rule) => rule.id !== id);
    expect([...seen, ...made].some((json) => said(fewer, json) !== said(JSON_RULES, json))).toBe(true);
  });
});

test('a prompt makes the session active before anything has come back, and its failure idle again', () => {
  const prompted = observePrompt(NO_EVENTS, PROMPT);
  expect([wordOf(NO_EVENTS), jsonState(NO_EVENTS)]).toEqual(['idle/ready', 'idle']);
  expect([wordOf(prompted), jsonState(prompted)]).toEqual(['active/thinking', 'running']);
  const failed = following(prompted, failure);
  expect([wordOf(failed), jsonState(failed)]).toEqual(['idle/error', 'error']);
});

test('a prompt that is written while the last turn ends is not taken for a part of it', () => {
  const running = following(observePrompt(NO_EVENTS, PROMPT), {
    type: 'user',
    isReplay: true,
    uuid: 'p1',
    message: { content: 'do it' },
  });
  const second = observePrompt(running, { id: 'p2', at: 1_500, text: 'and this' });
  const ended = following(
    second,
    { type: 'result', result: 'Done.' },
    { type: 'system', subtype: 'session_state_changed', state: 'idle' },
  );
  expect(wordOf(ended)).toBe('active/thinking');
  const [open] = ended.open;
  expect(open).toMatchObject({ id: 'p2', stage: 'written' });
});

test('a permission is taken back when it is answered, cancelled, or its turn ends', () => {
  const request: ClaudeEvent = {
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 't1' },
  };
  const asking = following(observePrompt(NO_EVENTS, PROMPT), request);
  expect(statusOf(asking).question).toMatchObject({ id: 'r1', kind: 'permission', text: 'Bash: ls' });
  expect(jsonState(asking)).toBe('waiting_permission');
  const ends: ClaudeEvent[] = [
    { type: 'control_response', response: { request_id: 'r1' } },
    { type: 'control_cancel_request', request_id: 'r1' },
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't1' }] } },
    { type: 'result', is_error: false, result: '' },
  ];
  for (const end of ends) expect(statusOf(following(asking, end)).question, end.type).toBeNull();
});

test('what a later version may send changes nothing', () => {
  const odd: ClaudeEvent[] = [
    { type: 'news' },
    { type: 'system' },
    { type: 'user', message: 3 },
    { type: 'assistant', message: { content: [null, 1, { type: 'x' }] } },
    { type: 'stream_event', event: [] },
    { type: 'control_request', request: null },
    { type: 'rate_limit_event' },
  ];
  const { lastAt, busySince, ...rest } = following(NO_EVENTS, ...odd);
  expect({ lastAt: null, busySince: null, ...rest }).toEqual(NO_EVENTS);
  expect([lastAt, busySince]).toEqual([1_006, 1_003]);
});

test('limits of the account are told with the time of their reset', () => {
  const info = { status: 'rejected', rateLimitType: 'five_hour', resetsAt: 1_795_000_000, utilization: 1 };
  expect(following(NO_EVENTS, { type: 'rate_limit_event', rate_limit_info: info }).rateLimit).toEqual({
    status: 'rejected',
    kind: 'five_hour',
    resets_at: new Date(1_795_000_000_000).toISOString(),
    utilization: 1,
  });
});
