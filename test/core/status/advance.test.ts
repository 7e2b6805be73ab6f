import { describe, expect, test } from 'vitest';
import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  type Evidence,
  type JsonEvidence,
  NO_EVENTS,
  observeEvent,
  observePrompt,
  type StatusMemory,
  type StatusStep,
  statusView,
} from '../../../src/core/status/index.ts';
import type { ClaudeEvent } from '../../../src/protocol/index.ts';
import { bash, evidenceOf, FRAMES, frame, hook, hooksOf, screenOf } from './evidence-maker.ts';

const THRESHOLD = 15_000;
const thresholds = { ...DEFAULT_THRESHOLDS, stuckMs: THRESHOLD };
const step = (previous: StatusMemory | null, evidence: Partial<Evidence>, now: number): StatusStep =>
  advanceStatus(previous, { evidence: evidenceOf(evidence), now, thresholds });
const working = { screen: screenOf([0, FRAMES.thinking]) };

test('a wrapper that replaces itself with a shell is named anew, and the status began when Claude Code ended', () => {
  const absent = (comm: string) => ({
    process: { alive: true, startedAt: null, endedAt: null, absent: { pid: 7, comm, since: 1_000 } },
  });
  const wrapper = step(null, absent('claude'), 1_000);
  const shell = step(wrapper.memory, absent('sh'), 5_000);
  expect(shell).toMatchObject({ changed: true, memory: { since: 1_000 } });
  expect(shell.memory.because.evidence).toContain('(sh, process 7)');
  expect(step(shell.memory, absent('sh'), 6_000).changed).toBe(false);
});

describe('health', () => {
  test('becomes ALIVE, STUCK, RECOVERED and ALIVE again, and reports when to look again', () => {
    const alive = step(null, working, 0);
    expect(alive).toMatchObject({
      memory: { primary: 'active', health: 'ALIVE' },
      recheckAt: THRESHOLD,
      changed: true,
    });
    expect(step(alive.memory, working, THRESHOLD - 1).changed).toBe(false);

    const stuck = step(alive.memory, working, THRESHOLD);
    expect(stuck).toMatchObject({
      memory: { primary: 'stuck', detail: null, state: 'thinking', health: 'STUCK', since: THRESHOLD },
      recheckAt: null,
      changed: true,
    });

    const moved = {
      screen: screenOf([0, FRAMES.thinking], [20_000, frame(FRAMES.thinking.lines.with(2, '✶ Brewing…'))]),
    };
    const recovered = step(stuck.memory, moved, 20_000);
    expect(recovered).toMatchObject({
      memory: { primary: 'active', detail: 'thinking', health: 'RECOVERED' },
      recheckAt: 25_000,
      changed: true,
    });

    expect(step(recovered.memory, moved, 25_000)).toMatchObject({ memory: { health: 'ALIVE' }, changed: true });
    const over = { screen: screenOf([0, FRAMES.thinking], [21_000, FRAMES.idle]) };
    expect(step(recovered.memory, over, 21_200)).toMatchObject({ memory: { primary: 'idle', health: 'ALIVE' } });
  });

  test('a long tool whose spinner turns is never stuck, and one whose spinner stopped is stuck past the threshold', () => {
    let screen = screenOf([0, FRAMES.tool]);
    for (let at = 1_000; at <= 600_000; at += 1_000) {
      const turned = frame(FRAMES.tool.lines.with(5, `${'✶✻'[(at / 1_000) % 2]} Brewing… (${at / 1_000}s)`));
      screen = screenOf([at - 1_000, screen?.frame ?? turned], [at, turned]);
      expect(step(null, { screen }, at).memory.primary).toBe('active');
    }
    expect(step(null, { screen }, 615_000).memory.primary).toBe('stuck');
  });

  test.each([
    ['waits for its user', { screen: screenOf([0, FRAMES.permission]) }, 'waiting'],
    ['is idle', { screen: screenOf([0, FRAMES.idle]) }, 'idle'],
    ['has no screen from which to judge it', { hooks: hooksOf(hook(0, 'UserPromptSubmit')) }, 'active'],
  ])('a session that %s is never stuck', (_, evidence, primary) => {
    expect(step(null, evidence, 86_400_000)).toMatchObject({ memory: { primary, health: 'ALIVE' }, recheckAt: null });
  });

  test('a turn of a JSON session is stuck if no event comes, but not during a tool, a compaction or a question', () => {
    const told = (...events: ClaudeEvent[]): Partial<Evidence> => ({
      json: events.reduce<JsonEvidence>(
        (json, event) => observeEvent(json, event, 0),
        observePrompt(NO_EVENTS, { id: 'p1', at: 0, text: 'go on' }),
      ),
    });
    const call = { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make' } };
    const tool = { type: 'assistant', message: { content: [call] } };
    const ask = { type: 'control_request', request_id: 'r1', request: { subtype: 'can_use_tool', tool_use_id: 't1' } };
    const running = step(null, told(), 0);
    expect(running).toMatchObject({ memory: { primary: 'active' }, recheckAt: THRESHOLD });
    expect(step(running.memory, told(), THRESHOLD).memory).toMatchObject({ primary: 'stuck', state: 'thinking' });
    const retry = { type: 'system', subtype: 'api_retry', attempt: 7, max_retries: 10, retry_delay_ms: 40_000 };
    expect(step(null, told(retry), THRESHOLD).recheckAt).toBe(40_000 + THRESHOLD);
    const quiet = [
      told(tool),
      told({ type: 'system', subtype: 'status', status: 'compacting' }),
      told(tool, ask),
      told({ type: 'result', result: 'Done.' }),
    ];
    for (const evidence of quiet) expect(step(null, evidence, 86_400_000).memory.health).toBe('ALIVE');
  });

  test('dead is final, whatever the health was', () => {
    const gone = { ...working, process: { alive: false, startedAt: 0, endedAt: 16_000 } };
    const stuck = step(step(null, working, 0).memory, working, THRESHOLD);
    const dead = step(stuck.memory, gone, 16_000);
    expect(dead).toMatchObject({
      memory: { primary: 'dead', detail: null, state: 'dead', health: 'DEAD' },
      recheckAt: null,
      changed: true,
    });
    expect(step(dead.memory, working, 17_000)).toMatchObject({ memory: { primary: 'dead' }, changed: false });
  });
});

describe('reported changes', () => {
  test('a turning spinner reports nothing, and since stays', () => {
    const first = step(null, working, 100);
    const turned = {
      screen: screenOf([0, FRAMES.thinking], [200, frame(FRAMES.thinking.lines.with(2, '✶ Brewing… (1s)'))]),
    };
    const second = step(first.memory, turned, 200);
    expect(second.changed).toBe(false);
    expect(second.memory.since).toBe(100);
  });

  test('the next tool call is a change, although the word stays', () => {
    const prompted = hook(0, 'UserPromptSubmit');
    const one = step(null, { hooks: hooksOf(prompted, hook(1, 'PreToolUse', bash('a'))) }, 1);
    const two = step(
      one.memory,
      {
        hooks: hooksOf(
          prompted,
          hook(1, 'PreToolUse', bash('a')),
          hook(2, 'PostToolUse', bash('a')),
          hook(3, 'PreToolUse', bash('b', 'ls')),
        ),
      },
      3,
    );
    expect(two).toMatchObject({ changed: true, memory: { since: 1, because: { evidence: 'Bash: ls' } } });
  });

  test('a hook that brings no answer changes nothing if the screen has shown the status before', () => {
    const ready = screenOf([0, FRAMES.fresh]);
    const drawn = step(null, { screen: ready }, 2_000);
    const hooked = step(drawn.memory, { hooks: hooksOf(hook(90, 'SessionStart')), screen: ready }, 2_100);
    expect(drawn.memory).toMatchObject({ primary: 'idle', detail: 'ready' });
    expect(hooked).toMatchObject({ changed: false, memory: { because: drawn.memory.because } });
  });

  test('the hook of the end of a turn brings the answer, although the screen has shown the end before', () => {
    const over = screenOf([0, FRAMES.thinking], [100, FRAMES.idle]);
    const prompted = hook(0, 'UserPromptSubmit');
    const drawn = step(null, { screen: over }, 2_000);
    expect(drawn.memory).toMatchObject({ primary: 'idle', because: { source: 'screen' } });
    const told = { hooks: hooksOf(prompted, hook(90, 'Stop', { last_assistant_message: 'So.' })), screen: over };
    const hooked = step(drawn.memory, told, 2_100);
    expect(hooked).toMatchObject({
      changed: true,
      memory: { since: 2_000, because: { rule: 'hook.Stop', evidence: 'So.' } },
    });
    expect(step(hooked.memory, { screen: over }, 2_200)).toMatchObject({
      changed: false,
      memory: { because: { rule: 'hook.Stop' } },
    });
  });
});

describe('the question', () => {
  const prompted = hook(0, 'UserPromptSubmit');
  const call = [prompted, hook(100, 'PreToolUse', bash('a')), hook(110, 'PermissionRequest', bash('a'))];

  test('keeps its identity when a hook names the call after the dialog was drawn', () => {
    const drawn = step(
      null,
      { hooks: hooksOf(prompted), screen: screenOf([0, FRAMES.thinking], [100, FRAMES.permission]) },
      200,
    );
    const named = step(
      drawn.memory,
      { hooks: hooksOf(...call), screen: screenOf([0, FRAMES.thinking], [100, FRAMES.permission]) },
      1_300,
    );
    expect(drawn.memory.question?.tool).toBeNull();
    expect(named.memory.question).toMatchObject({
      id: drawn.memory.question?.id,
      tool: { name: 'Bash' },
      options: [{}, { label: 'Yes, and don’t ask again for npm test commands in /home/user/project' }, {}],
    });
  });

  test('is the same after a restart of the server, if hooks name the call', () => {
    const before = step(null, { hooks: hooksOf(...call), screen: screenOf([120, FRAMES.permission]) }, 500);
    const after = step(null, { hooks: hooksOf(...call), screen: screenOf([90_000, FRAMES.permission]) }, 90_500);
    expect(after.memory.question?.id).toBe(before.memory.question?.id);
    expect(after.memory.question?.id).toMatch(/^[0-9a-f]{16}$/);
  });

  test('is a different one when the same dialog opens again', () => {
    const first = step(null, { screen: screenOf([0, FRAMES.thinking], [100, FRAMES.permission]) }, 200);
    const between = step(first.memory, { screen: screenOf([0, FRAMES.permission], [300, FRAMES.tool]) }, 600);
    const second = step(between.memory, { screen: screenOf([300, FRAMES.tool], [900, FRAMES.permission]) }, 1_000);
    expect(between.memory).toMatchObject({
      question: null,
      lastQuestion: expect.stringContaining('Do you want to proceed?'),
    });
    expect(second.memory.question?.text).toBe(first.memory.question?.text);
    expect(second.memory.question?.id).not.toBe(first.memory.question?.id);
  });

  test('options of a dialog without numbers get numbers by their place', () => {
    const { memory } = step(null, { screen: screenOf([0, FRAMES.trust]) }, 100);
    expect(memory.question).toMatchObject({
      kind: 'setup',
      options: [
        { key: '1', label: 'No, exit' },
        { key: '2', label: 'Yes, I trust this folder' },
      ],
    });
  });
});

test('the view counts signs of life and of progress separately', () => {
  const turned = frame(FRAMES.thinking.lines.with(2, '✶ Brewing… (9s · ↓ 90 tokens)'));
  const evidence = evidenceOf({ screen: screenOf([1_000, FRAMES.thinking], [9_000, turned]) });
  const { memory } = advanceStatus(null, { evidence, now: 9_000, thresholds });
  expect(statusView(memory, evidence, 9_500)).toMatchObject({
    primary: 'active',
    detail: 'thinking',
    unchanged_ms: 500,
    quiet_ms: 8_500,
    since: '1970-01-01T00:00:09.000Z',
    question: null,
  });
});
