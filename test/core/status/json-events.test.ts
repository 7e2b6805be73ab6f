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
  observeTrust,
  readByRules,
  withdrawPrompt,
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

/** Returns the evidence after each event. */
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

/** Returns the statuses that recorded events pass through, each once. */
function words(name: string): string[] {
  const all = steps(recorded(name)).map(wordOf);
  return all.filter((word, index) => word !== all[index - 1]);
}

const following = (start: JsonEvidence, ...events: ClaudeEvent[]): JsonEvidence =>
  events.reduce((evidence, event, index) => observeEvent(evidence, event, 1_000 + index), start);
const failure: ClaudeEvent = { type: 'error', message: 'Claude Code ended (SIGKILL)' };

describe('the recorded events of the real Claude Code lead to the right statuses', () => {
  test.each([
    ['hello', ['active/thinking', 'active/responding', 'idle/waiting_input']],
    ['permission', ['active/using_tools', 'waiting/permission', 'active/using_tools', 'idle/waiting_input']],
    ['question', ['active/thinking', 'waiting/question', 'active/responding', 'idle/waiting_input']],
    ['questions', ['waiting/question', 'idle/waiting_input']],
    ['plan', ['waiting/plan', 'idle/waiting_input']],
    ['tools', ['active/thinking', 'active/responding', 'active/using_tools', 'idle/waiting_input']],
    ['interrupt', ['active/responding', 'active/thinking', 'active/responding', 'idle/waiting_input']],
    [
      'compact',
      ['idle/waiting_input', 'active/thinking', 'active/compacting', 'active/thinking', 'idle/waiting_input'],
    ],
    ['limit', ['idle/waiting_input', 'active/thinking', 'waiting/limit']],
    ['overloaded', ['active/thinking', 'active/responding', 'idle/waiting_input']],
    ['error', ['active/thinking', 'idle/error', 'active/thinking', 'active/responding', 'waiting/question']],
  ])('%s', (name, expected) => {
    const all = words(name);
    // The statuses must come in this order, with others in between.
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

describe('each rule is needed', () => {
  const seen = readdirSync(RECORDED).flatMap((file) => steps(recorded(file.replace('.jsonl', ''))));
  const asksForTrust = observeTrust(NO_EVENTS, { id: 'q1', folder: '/clone', files: ['.mcp.json'], askedAt: 5 });
  const elicitation = { subtype: 'elicitation', mcp_server_name: 'deploy', message: 'Where?', mode: 'form' };
  const asksForForm = following(NO_EVENTS, { type: 'control_request', request_id: 'f1', request: elicitation });
  const made = [NO_EVENTS, following(NO_EVENTS, failure), asksForTrust, asksForForm];
  const said = (rules: typeof JSON_RULES, json: JsonEvidence): string => {
    const { primary, detail, evidence, since } = readByRules('json', rules, json) ?? {};
    return `${primary}/${detail} since ${since}: ${evidence}`;
  };
  test.each(JSON_RULES.map(({ id }) => id))('%s', (id) => {
    const fewer = JSON_RULES.filter((rule) => rule.id !== id);
    expect([...seen, ...made].some((json) => said(fewer, json) !== said(JSON_RULES, json))).toBe(true);
  });
});

test('a folder that nobody trusts is a question before the first prompt, and no longer once it is trusted', () => {
  const asking = observeTrust(NO_EVENTS, { id: 'q1', folder: '/clone', files: ['.mcp.json'], askedAt: 5 });
  expect([wordOf(asking), jsonState(asking)]).toEqual(['waiting/setup', 'waiting_permission']);
  expect(wordOf(observeTrust(asking, null))).toBe('idle/ready');
});

test('a prompt makes the session active before any event comes back, and its failure makes it idle again', () => {
  const prompted = observePrompt(NO_EVENTS, PROMPT);
  expect([wordOf(NO_EVENTS), jsonState(NO_EVENTS)]).toEqual(['idle/ready', 'idle']);
  expect([wordOf(prompted), jsonState(prompted)]).toEqual(['active/thinking', 'running']);
  const failed = following(prompted, failure);
  expect([wordOf(failed), jsonState(failed)]).toEqual(['idle/error', 'error']);
});

test('a prompt that could not be sent leaves the session as it was', () => {
  const withdrawn = withdrawPrompt(observePrompt(NO_EVENTS, PROMPT), PROMPT.id);
  expect([wordOf(withdrawn), jsonState(withdrawn)]).toEqual(['idle/ready', 'idle']);
});

test('a prompt that is written while the last turn ends does not count as part of it', () => {
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

describe('the turn that the end of an agent begins', () => {
  const notified: ClaudeEvent = { type: 'result', result: '', origin: { kind: 'task-notification' } };
  const second = observePrompt(NO_EVENTS, { id: 'p2', at: 1_500, text: 'and this' });

  test('does not end a prompt that is only being written', () => {
    expect(wordOf(following(second, notified))).toBe('active/thinking');
    expect(following(second, notified).open.map(({ id }) => id)).toEqual(['p2']);
    expect(following(second, { type: 'result', result: 'Done.' }).open).toEqual([]);
  });

  test('ends a prompt that Claude Code has started in it', () => {
    const joined: ClaudeEvent = { type: 'user', isReplay: true, uuid: 'p2', message: { content: 'and this' } };
    expect(following(second, joined, notified).open).toEqual([]);
  });
});

test('a permission is withdrawn when it is answered, cancelled, or its turn ends', () => {
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

test('unknown events of a later version change nothing', () => {
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

test('limits of the account are reported with the time of their reset, as they come near and when they are reached', () => {
  const told = steps(recorded('limit')).map(({ rateLimit }) => rateLimit);
  const limit = { kind: 'five_hour', resets_at: '2100-01-01T00:00:00.000Z' };
  expect(told.find((one) => one !== null)).toEqual({ ...limit, status: 'allowed_warning', utilization: 0.92 });
  expect(told.at(-1)).toEqual({ ...limit, status: 'rejected', utilization: null });
  const reason = statusOf(steps(recorded('limit')).at(-1) ?? NO_EVENTS).because.evidence;
  expect(reason).toBe("You've hit your 5-hour limit · resets Jan 1, 2100, 12am (UTC)");
});

test('a request that is tried again shows why and when, until it is answered', () => {
  const reasons = steps(recorded('overloaded')).map((json) => statusOf(json).because);
  const tries = reasons.filter(({ rule }) => rule === 'json.api_retry').map(({ evidence }) => evidence);
  expect(tries).toEqual(['overloaded (529): try 1 of 10 in 1 s', 'overloaded (529): try 2 of 10 in 1 s']);
  expect(reasons.at(-1)?.rule).toBe('json.result');
});

test('a slash command is shown as the prompt that was typed, however Claude Code wraps it', () => {
  const prompts = new Set(steps(recorded('compact')).map(({ prompt }) => prompt?.text));
  expect([...prompts]).toEqual([undefined, 'scene:hello before', '/compact', 'scene:hello after']);
});

test('a prompt that reads like the note about an interrupt interrupts nothing', () => {
  const text = '[Request interrupted by user] what does this mean?';
  const user = { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, uuid: 'p1' };
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'It means a lot.' };
  const after = (event: ClaudeEvent) =>
    [event, result].reduce((json, one) => observeEvent(json, one, 2), observePrompt(NO_EVENTS, { ...PROMPT, text }));
  expect(after({ ...user, isReplay: true }).turnEnd?.interrupted).toBe(false);
  expect(after(user).turnEnd?.interrupted).toBe(true);
});

test('a turn that was interrupted while a Stop hook ran asks nothing, even if its last message is a question', () => {
  const note = { type: 'user', message: { role: 'user', content: '[Request interrupted by user]' } };
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'I did it. Shall I go on?' };
  const read = (...events: ClaudeEvent[]) =>
    statusOf(events.reduce((json, event) => observeEvent(json, event, 2), observePrompt(NO_EVENTS, PROMPT)));
  expect(read(result).because.rule).toBe('json.result.closing');
  expect(read({ ...note, parent_tool_use_id: null }, result)).toMatchObject({
    primary: 'idle',
    question: null,
    because: { rule: 'json.interrupted' },
  });
});

test('a form is too late to accept once the call in which its server asked has ended', () => {
  const call = { type: 'tool_use', id: 'call-1', name: 'mcp__deploy__ask', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'call-1', content: 'gave up' };
  const request = { subtype: 'elicitation', mcp_server_name: 'deploy', message: 'Where?', mode: 'form' };
  const asked = following(
    NO_EVENTS,
    { type: 'assistant', message: { role: 'assistant', content: [call] } },
    { type: 'control_request', request_id: 'f1', request },
  );
  const left = following(asked, { type: 'user', message: { role: 'user', content: [result] } });
  const meanings = (json: JsonEvidence) => statusOf(json).question?.options.map(({ means }) => means);
  expect([statusOf(asked).question?.form?.call_over, meanings(asked)]).toEqual([undefined, ['yes', 'no']]);
  expect([statusOf(left).question?.form?.call_over, meanings(left)]).toEqual([true, ['no']]);
});
