import { describe, expect, test } from 'vitest';
import {
  DEFAULT_THRESHOLDS,
  derive,
  explain,
  type HookEvent,
  interruptCalls,
  observeHook,
} from '../../../src/core/status/index.ts';
import { bash, evidenceOf, hook, hooksOf } from './evidence-maker.ts';

const said = (...events: HookEvent[]): string => {
  const { verdicts } = explain(evidenceOf({ hooks: hooksOf(...events) }), 1_000_000, DEFAULT_THRESHOLDS);
  const verdict = verdicts.find((one) => one.source === 'hook');
  return verdict === undefined ? 'nothing' : `${verdict.primary}/${verdict.detail} ${verdict.rule}`;
};
const start = hook(0, 'SessionStart', { source: 'startup' });
const prompt = hook(10, 'UserPromptSubmit', { prompt: 'go on' });
const stop = (at: number, message = 'Done.'): HookEvent => hook(at, 'Stop', { last_assistant_message: message });

describe('the verdict of hooks', () => {
  const rows: [string, HookEvent[], string][] = [
    ['nothing came', [], 'nothing'],
    ['a start', [start], 'idle/ready hook.SessionStart'],
    ['a resumed conversation', [hook(0, 'SessionStart', { source: 'resume' })], 'idle/waiting_input hook.SessionStart'],
    ['a prompt', [start, prompt], 'active/thinking hook.UserPromptSubmit'],
    ['a tool', [start, prompt, hook(20, 'PreToolUse', bash('a'))], 'active/using_tools hook.PreToolUse'],
    [
      'a tool that ended',
      [prompt, hook(20, 'PreToolUse', bash('a')), hook(30, 'PostToolUse', bash('a'))],
      'active/thinking hook.PostToolUse',
    ],
    [
      'a tool that failed',
      [prompt, hook(20, 'PreToolUse', bash('a')), hook(30, 'PostToolUseFailure', bash('a'))],
      'active/thinking hook.PostToolUse',
    ],
    [
      'one of two tools ended',
      [
        prompt,
        hook(20, 'PreToolUse', bash('a')),
        hook(21, 'PreToolUse', bash('b', 'ls')),
        hook(30, 'PostToolUse', bash('a')),
      ],
      'active/using_tools hook.PreToolUse',
    ],
    [
      'a permission',
      [
        prompt,
        hook(20, 'PreToolUse', bash('a')),
        hook(21, 'PermissionRequest', { ...bash('a'), tool_use_id: undefined }),
      ],
      'waiting/permission hook.PermissionRequest',
    ],
    [
      'a question',
      [prompt, hook(21, 'PermissionRequest', { tool_name: 'AskUserQuestion' })],
      'waiting/question hook.PermissionRequest',
    ],
    [
      'a plan',
      [prompt, hook(21, 'PermissionRequest', { tool_name: 'ExitPlanMode' })],
      'waiting/plan hook.PermissionRequest',
    ],
    ['an end', [prompt, stop(30)], 'idle/waiting_input hook.Stop'],
    ['an end with a question', [prompt, stop(30, 'Done.\n\nShall I push it?')], 'waiting/question hook.Stop.closing'],
    ['an error', [prompt, hook(30, 'StopFailure', { error: 'invalid_request' })], 'idle/error hook.StopFailure'],
    ['compacting', [prompt, hook(20, 'PreCompact')], 'active/compacting hook.PreCompact'],
    [
      'compacted during a turn',
      [prompt, hook(20, 'PreCompact'), hook(30, 'PostCompact')],
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'compacted by a version that only starts again',
      [prompt, stop(15), hook(20, 'PreCompact'), hook(30, 'SessionStart', { source: 'compact' })],
      'idle/waiting_input hook.Stop',
    ],
    ['cleared', [prompt, stop(30), hook(40, 'SessionStart', { source: 'clear' })], 'idle/ready hook.SessionStart'],
    [
      'a reminder that it is idle',
      [prompt, hook(60_000, 'Notification', { notification_type: 'idle_prompt' })],
      'idle/waiting_input hook.Notification',
    ],
    ['an event of a later version', [start, hook(5, 'TelepathyReceived')], 'idle/ready hook.SessionStart'],
  ];
  test.each(rows)('%s', (_, events, expected) => expect(said(...events)).toBe(expected));
});

describe('hooks that come twice, late or in the wrong order change nothing', () => {
  const pre = hook(20, 'PreToolUse', bash('a'));
  const post = hook(25, 'PostToolUse', bash('a'));
  test('a call reported twice ends with its one end', () => {
    expect(said(prompt, pre, pre, post)).toBe('active/thinking hook.PostToolUse');
  });
  test('a call that is reported after its end does not run', () => {
    expect(said(prompt, post, pre)).toBe('active/thinking hook.PostToolUse');
  });
  test('a prompt, call or request from before the end of the turn does not begin it again', () => {
    expect(said(stop(30), prompt, pre, hook(21, 'PermissionRequest', bash('a')))).toBe('idle/waiting_input hook.Stop');
  });
  test('a request of an agent from before the end of the turn stays open', () => {
    const agent = { ...bash('a'), agent_id: 'a1', agent_type: 'general-purpose' };
    const asks = hook(15, 'PermissionRequest', agent);
    expect(said(start, prompt, stop(40), asks)).toBe(said(start, prompt, asks, stop(40)));
    expect(said(start, prompt, stop(40), asks)).toBe('waiting/permission hook.PermissionRequest');
  });
  test('an older end does not replace a newer one', () => {
    expect(said(prompt, stop(30, 'Which one?'), stop(12))).toBe('waiting/question hook.Stop.closing');
  });
  test('a Stop hook that continues the turn is noticed by the next call', () => {
    expect(said(prompt, stop(30), hook(40, 'PreToolUse', bash('b')))).toBe('active/using_tools hook.PreToolUse');
  });
  test('a call of a background agent does not wake an idle session', () => {
    expect(said(prompt, stop(30), hook(40, 'PreToolUse', { ...bash('b'), agent_id: 'x' }))).toBe(
      'idle/waiting_input hook.Stop',
    );
  });
  test('a request without an id belongs to the call of its own turn, not to the same one that was refused before', () => {
    const plan = { tool_name: 'ExitPlanMode', tool_input: { plan: '# Plan' } };
    const call = (at: number, id: string) => hook(at, 'PreToolUse', { ...plan, tool_use_id: id });
    const hooks = hooksOf(
      ...[prompt, call(20, 'refused'), hook(21, 'PermissionRequest', plan)],
      ...[hook(30, 'UserPromptSubmit', { prompt: 'again' }), call(40, 'open'), hook(41, 'PermissionRequest', plan)],
    );
    expect(hooks.tools.filter(({ requestedAt }) => requestedAt !== null).map(({ id }) => id)).toEqual(['open']);
  });

  test('if two agents ask, the one that asked first is in front, in whatever order they made their calls', () => {
    const of = (agent: string, command: string) => ({ ...bash(agent, command), agent_id: agent });
    const called = [hook(30, 'PreToolUse', of('x', 'one')), hook(31, 'PreToolUse', of('y', 'two'))];
    const asked = [hook(40, 'PermissionRequest', of('y', 'two')), hook(41, 'PermissionRequest', of('x', 'one'))];
    for (const count of [1, 2]) {
      const hooks = hooksOf(prompt, stop(20), ...called, ...asked.slice(0, count));
      const { question } = derive(evidenceOf({ hooks }), 1_000_000);
      expect(question?.tool?.input).toMatchObject({ command: 'two' });
    }
  });

  test('a request of an agent stays open if another agent has ended, and is over if it has ended itself', () => {
    const asked = [prompt, stop(20), hook(30, 'PermissionRequest', { ...bash('b'), agent_id: 'x' })];
    const ended = (task: string): HookEvent[] => [
      hook(40, 'UserPromptSubmit', { prompt: `<task-notification>\n<task-id>${task}</task-id>\n` }),
      stop(50),
    ];
    expect(said(...asked, ...ended('y'))).toBe('waiting/permission hook.PermissionRequest');
    expect(said(...asked, ...ended('x'))).toBe('idle/waiting_input hook.Stop');
  });

  test('a call of a background agent that asks for a permission waits, whenever the turn ends', () => {
    const ask = (at: number) => hook(at, 'PermissionRequest', { ...bash('b'), agent_id: 'x' });
    expect(said(prompt, ask(20), stop(30))).toBe('waiting/permission hook.PermissionRequest');
    expect(said(prompt, stop(30), ask(40))).toBe('waiting/permission hook.PermissionRequest');
    const done = hook(50, 'PostToolUse', { ...bash('b'), agent_id: 'x' });
    expect(said(prompt, ask(20), stop(30), done)).toBe('idle/waiting_input hook.Stop');
    expect(said(prompt, ask(20), stop(30), hook(60, 'UserPromptSubmit', { prompt: 'more' }))).toBe(
      'active/thinking hook.UserPromptSubmit',
    );
  });
  test('a prompt that is queued during a turn leaves the running call to the screen', () => {
    const hooks = hooksOf(prompt, pre, hook(22, 'UserPromptSubmit', { prompt: 'and this' }));
    expect(hooks.tools.map((tool) => tool.id)).toEqual(['a']);
    expect(said(prompt, pre, hook(22, 'UserPromptSubmit', { prompt: 'and this' }))).toBe(
      'active/thinking hook.UserPromptSubmit',
    );
  });
});

describe('a prompt is known to be queued if Claude Code accepted it during a turn', () => {
  const given = (at: number, id?: string): HookEvent =>
    hook(at, 'UserPromptSubmit', { prompt: 'go on', ...(id === undefined ? {} : { prompt_id: id }) });
  test.each<[string, boolean, HookEvent[]]>([
    ['the first prompt', false, [given(10, 'a')]],
    ['a prompt with the id of the turn before it', true, [given(10, 'a'), given(20, 'a')]],
    ['a prompt after an interrupt, which no hook reports', false, [given(10, 'a'), given(20, 'b')]],
    ['a prompt without ids, during a turn', true, [given(10), given(20)]],
    ['a prompt without ids, after a turn', false, [given(10), stop(15), given(20)]],
  ])('%s: %s', (_, isQueued, events) => {
    const { hooks } = explain(evidenceOf({ hooks: hooksOf(...events) }), 1_000_000, DEFAULT_THRESHOLDS).evidence;
    expect(hooks?.prompt?.queued ?? false).toBe(isQueued);
  });
});

describe('an interrupt by CBOS', () => {
  const announced = hook(20, 'PreToolUse', bash('a'));
  const { tool_use_id: _, ...withoutId } = bash('a');
  const asked = (at: number, wait = 'w') => ({ ...hook(at, 'PermissionRequest', withoutId), wait });

  test('ends the calls that were announced before, and closes their permission requests', () => {
    const before = hooksOf(prompt, announced, asked(21), hook(30, 'PreToolUse', bash('later', 'ls')));
    const hooks = interruptCalls(before, 25);
    expect(hooks.tools.map(({ id }) => id)).toEqual(['later']);
  });

  test('does not end the calls of subagents, which continue', () => {
    const hooks = hooksOf(prompt, hook(20, 'PreToolUse', { ...bash('a'), agent_id: 'agent' }));
    expect(interruptCalls(hooks, 25)).toBe(hooks);
  });

  test('is not undone by a late report about such a call, but the same call in a later turn asks again', () => {
    const interrupted = interruptCalls(hooksOf(prompt, announced), 25);
    const late = observeHook(interrupted, asked(26));
    expect(late.tools).toEqual([]);
    expect(observeHook(interrupted, announced).tools).toEqual([]);
    const again = [
      hook(30, 'UserPromptSubmit', { prompt: 'again' }),
      hook(31, 'PreToolUse', bash('b')),
      asked(32, 'v'),
    ];
    const next = again.reduce(observeHook, late);
    expect(next.tools).toMatchObject([{ id: 'b', requestedAt: 32, wait: { id: 'v' } }]);
    expect(observeHook(next, stop(40)).interruptedTools).toBeUndefined();
  });
});

test('the evidence stays bounded, whatever a session does', () => {
  const huge = 'x'.repeat(200_000);
  const events = Array.from({ length: 1_000 }, (_, index) => [
    hook(index * 10, 'UserPromptSubmit', { prompt: huge }),
    hook(index * 10 + 1, 'PreToolUse', {
      ...bash(`ends-${index}`),
      tool_input: { command: huge, deep: [[[[[[[[huge]]]]]]]] },
    }),
    hook(index * 10 + 2, 'PreToolUse', { ...bash(`lasts-${index}`), tool_input: { content: huge } }),
    hook(index * 10 + 3, 'PostToolUse', bash(`ends-${index}`)),
  ]).flat();
  const hooks = hooksOf(...events, hook(1_000_000, 'Stop', { last_assistant_message: huge }));
  expect(JSON.stringify(hooksOf(...events)).length).toBeLessThan(200_000);
  expect(JSON.stringify(hooks).length).toBeLessThan(200_000);
});

test('an end without a reason is not taken for one by a signal', () => {
  expect(hooksOf(start, hook(20, 'SessionEnd', { reason: 'other' })).ended).toEqual({ at: 20, reason: 'other' });
  expect(hooksOf(start, hook(20, 'SessionEnd', {})).ended).toEqual({ at: 20, reason: null });
});
