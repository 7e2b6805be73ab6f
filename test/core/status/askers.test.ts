import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  derive,
  type JsonEvidence,
  NO_EVENTS,
  NO_HOOKS,
  observeEvent,
  observeHook,
  type StatusMemory,
} from '../../../src/core/status/index.ts';
import type { ClaudeEvent } from '../../../src/protocol/index.ts';
import { evidenceOf, frame, screenOf } from './evidence-maker.ts';

const following = (...events: ClaudeEvent[]): JsonEvidence =>
  events.reduce((evidence, event, index) => observeEvent(evidence, event, 1_000 + index), NO_EVENTS);

const verdictOf = (json: JsonEvidence) =>
  derive({ process: null, screen: null, hooks: NO_HOOKS, registry: null, json }, 2_000);

const system = (subtype: string, more: object): ClaudeEvent => ({ type: 'system', subtype, ...more });
const started = (id: string): ClaudeEvent =>
  system('task_started', {
    ...{ task_id: id, is_backgrounded: true, subagent_type: 'general-purpose', description: `task of ${id}` },
  });
const ended = (id: string): ClaudeEvent => system('task_notification', { task_id: id, status: 'completed' });
const asks = (id: string, agent?: string): ClaudeEvent => ({
  type: 'control_request',
  request_id: id,
  request: {
    ...{ subtype: 'can_use_tool', tool_name: 'Bash', input: { command: `touch ${id}` }, tool_use_id: `tool ${id}` },
    ...(agent === undefined ? {} : { agent_id: agent }),
  },
});
const RESULT: ClaudeEvent = { type: 'result', subtype: 'success', is_error: false, result: 'agents are at work' };
const cancel = (id: string): ClaudeEvent => ({ type: 'control_cancel_request', request_id: id });
const answered = (id: string): ClaudeEvent => ({ type: 'control_response', response: { request_id: id } });

const BOTH = [started('a1'), started('a2'), asks('r1', 'a1'), asks('r2', 'a2')];
const open = (...events: ClaudeEvent[]): string[] => verdictOf(following(...events)).questions.map(({ id }) => id);

describe('the open questions of a JSON session', () => {
  test("an agent's question outlives the turn, and the session waits", () => {
    const verdict = verdictOf(following(...BOTH, RESULT));
    expect(verdict).toMatchObject({ primary: 'waiting', detail: 'permission', question: { id: 'r1' } });
    expect(verdict.because.evidence).toBe('an agent (general-purpose) asks while the turn is over: Bash: touch r1');
    expect(verdict.questions).toMatchObject([
      { id: 'r1', asker: { kind: 'agent', id: 'a1', name: 'general-purpose', about: 'task of a1' } },
      { id: 'r2', asker: { kind: 'agent', id: 'a2' } },
    ]);
  });

  test('while the turn runs on, the verdict says so', () => {
    const init = system('init', {});
    expect(verdictOf(following(init, ...BOTH)).because.evidence).toContain('while the turn runs on');
  });

  test.each([
    ['an answer', answered('r1')],
    ['Claude Code, which cancels it', cancel('r1')],
    ['the end of its agent', ended('a1')],
  ])('is closed by %s, and no other with it', (_what, event) => {
    expect(open(...BOTH, RESULT, event)).toEqual(['r2']);
  });

  test.each([
    ['a result', RESULT],
    ['an idle session', system('session_state_changed', { state: 'idle' })],
    ['the end of another task', ended('a3')],
  ])("of agents are not closed by %s, but the turn's own is", (_what, event) => {
    expect(open(...BOTH, asks('r3'), event)).toEqual(
      event.subtype === 'task_notification' ? ['r1', 'r2', 'r3'] : ['r1', 'r2'],
    );
  });

  test('are all closed by the end of the process', () => {
    const verdict = verdictOf(following(...BOTH, RESULT, { type: 'error', message: 'Claude Code ended (SIGKILL)' }));
    expect(verdict).toMatchObject({ primary: 'idle', detail: 'error', questions: [] });
  });
});

describe('the open questions of a terminal session', () => {
  const hook = (event: string, at: number, payload: object = {}) => ({ event, at, payload: { ...payload } });
  const permission = (agent: string, at: number) =>
    hook('PermissionRequest', at, {
      ...{ tool_name: 'Bash', tool_input: { command: `touch ${agent}` }, agent_id: agent, agent_type: 'Explore' },
    });
  const hooksOf = (...events: ReturnType<typeof hook>[]) => events.reduce(observeHook, NO_HOOKS);
  const verdict = (hooks: typeof NO_HOOKS) =>
    derive({ process: null, screen: null, hooks, registry: null }, (hooks.lastAt ?? 0) + 1);
  const TURN = [hook('UserPromptSubmit', 1, { prompt: 'go' }), permission('a1', 2), permission('a2', 3)];

  test("the dialog of the second agent comes after the first one's", () => {
    const { questions } = verdict(hooksOf(...TURN, hook('Stop', 4)));
    expect(questions).toMatchObject([
      { asker: { kind: 'agent', id: 'a1', name: 'Explore' }, tool: { input: { command: 'touch a1' } } },
      { asker: { id: 'a2' }, tool: { input: { command: 'touch a2' } }, behind: true },
    ]);
    expect(questions[0]).not.toHaveProperty('behind');
  });

  test('are shown in any order, and none is taken for answered before its dialog was shown', () => {
    const rule = '─'.repeat(80);
    const dialogOf = (agent: string) =>
      frame([
        ...[rule, ' Bash command · from the Explore agent', '', ` touch ${agent}`, ''],
        ...[' Do you want to proceed?', ' ❯ 1. Yes', '   2. No', '', ' Esc to cancel'],
      ]);
    const hooks = hooksOf(...TURN, permission('a3', 4));
    let memory: StatusMemory | null = null;
    const open = ['a2', 'a1', 'a3'].map((agent, index) => {
      const now = 1_000 * (index + 1);
      const evidence = evidenceOf({ hooks, screen: screenOf([now - 500, dialogOf(agent)]) });
      memory = advanceStatus(memory, { evidence, now, thresholds: DEFAULT_THRESHOLDS }).memory;
      return memory.questions.map(({ asker, behind = false }) => `${asker?.id}${behind ? ' behind' : ''}`);
    });
    expect(open).toEqual([['a2', 'a1 behind', 'a3 behind'], ['a1', 'a3 behind'], ['a3']]);
  });

  test('an agent that has ended asks nothing', () => {
    const { questions } = verdict(hooksOf(...TURN, hook('Stop', 4), hook('SubagentStop', 5, { agent_id: 'a1' })));
    expect(questions).toMatchObject([{ asker: { id: 'a2' } }]);
  });
});
