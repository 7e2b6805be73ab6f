import { describe, expect, test } from 'vitest';
import { agree } from '../../../src/core/status/arbitrate/agreement.ts';
import type { FullHearing } from '../../../src/core/status/arbitrate/hearing.ts';
import { derive, type Evidence, refusePrompt, type ScreenFrame } from '../../../src/core/status/index.ts';
import { bash, evidenceOf, FRAMES, frame, hook, hooksOf, RULE, registryOf, screenOf } from './evidence-maker.ts';

const T = 100_000;
const started = hook(T - 50_000, 'SessionStart', { source: 'startup' });
const prompted = hook(T, 'UserPromptSubmit', { prompt: 'go on' });
const called = hook(T + 1_000, 'PreToolUse', bash('a'));
const asked = hook(T + 1_050, 'PermissionRequest', bash('a'));
const stopped = hook(T + 5_000, 'Stop', { last_assistant_message: 'Done as asked.' });

const ASK = { tool_name: 'AskUserQuestion', tool_use_id: 'q', tool_input: { questions: [] } };
const transcript = (answer: string, line = 'Showing detailed transcript · ctrl+o to toggle'): ScreenFrame =>
  frame(['❯ go on', '', answer, RULE, `  ${line}`]);

const said = (evidence: Partial<Evidence>, now: number): string => {
  const { primary, detail, because } = derive(evidenceOf(evidence), now);
  return `${primary}/${detail} ${because.rule}`;
};

describe('which source is believed', () => {
  test('a process that has ended overrides everything', () => {
    const evidence = {
      process: { alive: false, startedAt: 0, endedAt: T },
      hooks: hooksOf(started, prompted),
      screen: screenOf([T, FRAMES.thinking]),
      registry: registryOf('busy', T),
    };
    expect(said(evidence, T + 10)).toBe('dead/null process.ended');
  });

  const rows: [string, Partial<Evidence>, number, string][] = [
    ['no evidence at all is unknown', {}, T, 'null/null none'],
    ['a blank screen at the start is unknown', { screen: screenOf([T, FRAMES.blank]) }, T, 'null/null none'],
    [
      'an idle registry alone is not ready before the screen has had time to be drawn',
      { screen: screenOf([T, FRAMES.blank]), registry: registryOf('idle', T) },
      T + 30,
      'null/null none',
    ],
    [
      'an idle registry is believed if the screen stays empty',
      { screen: screenOf([T, FRAMES.blank]), registry: registryOf('idle', T) },
      T + 1_000,
      'idle/waiting_input registry.idle',
    ],
    [
      'SessionStart alone is not ready while the prompt is not drawn',
      { hooks: hooksOf(started), screen: screenOf([T - 60_000, FRAMES.blank]) },
      T - 49_999,
      'null/null none',
    ],
    [
      'a prompt that is drawn after SessionStart is ready',
      { hooks: hooksOf(started), screen: screenOf([T, FRAMES.fresh]) },
      T + 1,
      'idle/ready hook.SessionStart',
    ],
    [
      'a view that is opened above the prompt before the first turn asks nothing, and nothing starts any more',
      { hooks: hooksOf(started), screen: screenOf([T, FRAMES.fresh], [T + 500, FRAMES.help]) },
      T + 4_000,
      'idle/ready hook.SessionStart',
    ],
    [
      'a view that has just been closed does not bring the start back while the prompt settles',
      {
        hooks: hooksOf(started),
        screen: screenOf([T, FRAMES.fresh], [T + 500, FRAMES.help], [T + 4_000, FRAMES.fresh]),
      },
      T + 4_010,
      'idle/ready hook.SessionStart',
    ],
    [
      'a view asks nothing, even if the registry reports it as an open dialog',
      {
        hooks: hooksOf(started),
        screen: screenOf([T, FRAMES.fresh], [T + 500, FRAMES.help]),
        registry: registryOf('waiting', T + 500, 'dialog open'),
      },
      T + 4_000,
      'idle/ready hook.SessionStart',
    ],
    [
      'a prompt’s hook is ahead of the screen',
      { hooks: hooksOf(started, prompted), screen: screenOf([T - 9_000, FRAMES.fresh]) },
      T + 1,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'the screen shows that an answer is being written',
      { hooks: hooksOf(prompted), screen: screenOf([T, FRAMES.thinking], [T + 900, FRAMES.responding]) },
      T + 961,
      'active/responding screen.spinner',
    ],
    [
      'a call’s hook shows more than the screen',
      { hooks: hooksOf(prompted, called), screen: screenOf([T, FRAMES.thinking]) },
      T + 1_001,
      'active/using_tools hook.PreToolUse',
    ],
    [
      'a request is known before its dialog is drawn',
      { hooks: hooksOf(prompted, called, asked), screen: screenOf([T, FRAMES.thinking]) },
      T + 1_051,
      'waiting/permission hook.PermissionRequest',
    ],
    [
      'the drawn dialog',
      {
        hooks: hooksOf(prompted, called, asked),
        screen: screenOf([T, FRAMES.thinking], [T + 1_100, FRAMES.permission]),
      },
      T + 1_200,
      'waiting/permission screen.dialog.permission',
    ],
    [
      'yes: the dialog is gone, the call runs, no hook reports it',
      {
        hooks: hooksOf(prompted, called, asked),
        screen: screenOf([T, FRAMES.thinking], [T + 1_100, FRAMES.permission], [T + 3_000, FRAMES.tool]),
      },
      T + 3_001,
      'active/using_tools screen.dialog.answered',
    ],
    [
      'no: the dialog is gone, the prompt is back, no hook reports it',
      {
        hooks: hooksOf(prompted, called, asked),
        screen: screenOf([T, FRAMES.thinking], [T + 1_100, FRAMES.permission], [T + 3_000, FRAMES.idle]),
        registry: registryOf('idle', T + 3_100),
      },
      T + 3_200,
      'idle/waiting_input screen.prompt.after-turn',
    ],
    [
      'a request whose dialog never appears is abandoned',
      {
        hooks: hooksOf(prompted, called, asked),
        screen: screenOf([T, FRAMES.thinking]),
        registry: registryOf('busy', T),
      },
      T + 3_100,
      'active/using_tools screen.dialog.answered',
    ],
    [
      'a request that directly follows the answer to another is open: the dialog that was seen belongs to the other',
      {
        hooks: hooksOf(
          prompted,
          called,
          asked,
          hook(T + 1_350, 'PostToolUse', bash('a')),
          hook(T + 1_500, 'PreToolUse', bash('b')),
          hook(T + 1_550, 'PermissionRequest', bash('b')),
        ),
        screen: screenOf([T, FRAMES.thinking], [T + 1_100, FRAMES.permission], [T + 1_300, FRAMES.thinking]),
      },
      T + 1_600,
      'waiting/permission hook.PermissionRequest',
    ],
    [
      'but not while the registry reports that it waits',
      {
        hooks: hooksOf(prompted, called, asked),
        screen: screenOf([T, FRAMES.thinking]),
        registry: registryOf('waiting', T + 1_060, 'permission prompt'),
      },
      T + 4_000,
      'waiting/permission hook.PermissionRequest',
    ],
    [
      'refused by a hook: the registry confirms the end before the screen shows how the turn ended',
      {
        hooks: hooksOf(started, prompted),
        screen: screenOf([T - 9_000, FRAMES.idle]),
        registry: registryOf('idle', T + 100),
      },
      T + 400,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'refused by a hook, as the transcript reports: the notice is not on the screen',
      {
        hooks: refusePrompt(hooksOf(started, prompted), new Map([['go  on', { at: T + 50, words: 'No\nway.' }]])),
        screen: screenOf([T - 9_000, FRAMES.idle]),
        registry: registryOf('idle', T + 100),
      },
      T + 1_100,
      'idle/error hook.UserPromptSubmit.refused',
    ],
    [
      'accepted: only an earlier prompt with the same text was refused',
      {
        hooks: refusePrompt(hooksOf(started, prompted), new Map([['go on', { at: T - 5_000, words: 'No.' }]])),
        screen: screenOf([T, FRAMES.thinking]),
        registry: registryOf('busy', T + 100),
      },
      T + 1_100,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'refused by a hook: the prompt counts if the screen shows nothing else',
      {
        hooks: hooksOf(started, prompted),
        screen: screenOf([T - 9_000, FRAMES.idle]),
        registry: registryOf('idle', T + 100),
      },
      T + 1_100,
      'idle/waiting_input screen.prompt.after-turn',
    ],
    [
      'interrupted: the registry confirms the idle prompt at once',
      {
        hooks: hooksOf(prompted),
        screen: screenOf([T, FRAMES.thinking], [T + 2_000, FRAMES.fresh]),
        registry: registryOf('idle', T + 2_090),
      },
      T + 2_160,
      'idle/waiting_input screen.prompt.fresh',
    ],
    [
      'interrupted, without a registry: the prompt must be there for a while',
      { hooks: hooksOf(prompted), screen: screenOf([T, FRAMES.thinking], [T + 2_000, FRAMES.idle]) },
      T + 2_300,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'and after that it is idle',
      { hooks: hooksOf(prompted), screen: screenOf([T, FRAMES.thinking], [T + 2_000, FRAMES.idle]) },
      T + 2_700,
      'idle/waiting_input screen.prompt.after-turn',
    ],
    [
      'a busy registry holds an idle-looking screen active (a draft hides the signs)',
      {
        hooks: hooksOf(prompted),
        screen: screenOf([T, FRAMES.thinking], [T + 2_000, FRAMES.idle]),
        registry: registryOf('busy', T + 50),
      },
      T + 9_000,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'Stop is ahead of the screen',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T, FRAMES.thinking], [T + 4_990, FRAMES.responding]) },
      T + 5_100,
      'idle/waiting_input hook.Stop',
    ],
    [
      'signs of a finished turn that a loaded machine draws late are not another turn',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T, FRAMES.thinking], [T + 5_240, FRAMES.responding]),
        registry: registryOf('idle', T + 5_010),
      },
      T + 6_800,
      'idle/waiting_input hook.Stop',
    ],
    [
      'a spinner that is drawn after Stop, on a machine that draws late, belongs to the finished turn',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T - 9_000, FRAMES.idle], [T + 5_400, FRAMES.responding]),
        registry: registryOf('idle', T + 5_050),
      },
      T + 5_700,
      'idle/waiting_input hook.Stop',
    ],
    [
      'so does one that begins to turn again at that time, until the registry reports the end',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T, FRAMES.thinking], [T + 4_000, FRAMES.blank], [T + 5_400, FRAMES.responding]),
        registry: registryOf('busy', T),
      },
      T + 5_700,
      'active/responding screen.spinner',
    ],
    [
      'a spinner that begins after Stop is a turn that no hook announced',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T, FRAMES.idle], [T + 8_000, FRAMES.thinking]) },
      T + 8_001,
      'active/thinking screen.spinner',
    ],
    [
      'the turn ends while its subagent asks: the status does not flap, however new the hook is',
      {
        hooks: hooksOf(prompted, hook(T + 1_050, 'PermissionRequest', { ...bash('a'), agent_id: 'sub' }), stopped),
        screen: screenOf([T, FRAMES.thinking], [T + 1_100, FRAMES.permission]),
      },
      T + 5_001,
      'waiting/permission screen.dialog.permission',
    ],
    [
      'a transcript above a turn, in a version that does not report what it covers: the hook decides',
      {
        hooks: hooksOf(prompted),
        screen: screenOf([T, FRAMES.thinking], [T + 500, transcript(' ● Half of it.', 'Showing detailed transcript')]),
      },
      T + 9_000,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'a transcript above a turn whose interruption only the registry reports',
      {
        hooks: hooksOf(prompted),
        screen: screenOf([T, FRAMES.thinking], [T + 1_500, transcript('  ⎿  Interrupted · What should Claude do?')]),
        registry: registryOf('idle', T + 1_000),
      },
      T + 9_000,
      'waiting/setup screen.transcript',
    ],
    [
      "a transcript above a dialog: the hook has the dialog's name",
      {
        hooks: hooksOf(prompted, hook(T + 600, 'PermissionRequest', ASK)),
        screen: screenOf(
          [T, FRAMES.thinking],
          [T + 700, transcript('', 'dialog waiting · Showing detailed transcript')],
        ),
      },
      T + 900,
      'waiting/question hook.PermissionRequest',
    ],
    [
      'a transcript above an idle session takes every key',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T + 9_000, transcript('● Done as asked.')]) },
      T + 9_900,
      'waiting/setup screen.transcript',
    ],
    [
      'a picker above an idle session',
      { hooks: hooksOf(started), screen: screenOf([T, FRAMES.fresh], [T + 500, FRAMES.trust]) },
      T + 600,
      'waiting/setup screen.dialog.setup',
    ],
    [
      'a compaction that hooks announced',
      { hooks: hooksOf(prompted, hook(T + 100, 'PreCompact')), screen: screenOf([T, FRAMES.thinking]) },
      T + 200,
      'active/compacting hook.PreCompact',
    ],
    [
      'a compaction that only the screen shows',
      { hooks: hooksOf(prompted), screen: screenOf([T, FRAMES.compacting]) },
      T + 200,
      'active/compacting screen.spinner',
    ],
    [
      'a recording that stopped does not overrule sources that continue',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T, FRAMES.thinking]),
        registry: registryOf('idle', T + 5_100),
      },
      T + 60_000,
      'idle/waiting_input hook.Stop',
    ],
    [
      'a turn that only the registry reports runs on while its late first spinner does not count yet',
      { screen: screenOf([T - 9_000, FRAMES.fresh], [T + 1_100, FRAMES.thinking]), registry: registryOf('busy', T) },
      T + 1_200,
      'active/thinking registry.busy',
    ],
    [
      'a foreign session has only its registry: busy',
      { registry: registryOf('busy', T) },
      T + 1,
      'active/thinking registry.busy',
    ],
    ['idle, right after its start', { registry: registryOf('idle', 900) }, T, 'idle/ready registry.idle'],
    ['idle after work', { registry: registryOf('idle', T) }, T + 1, 'idle/waiting_input registry.idle'],
    ['background shells only', { registry: registryOf('shell', T) }, T + 1, 'idle/waiting_input registry.shell'],
    [
      'waiting for a permission',
      { registry: registryOf('waiting', T, 'permission prompt') },
      T + 1,
      'waiting/permission registry.waiting',
    ],
    [
      'waiting for an answer',
      { registry: registryOf('waiting', T, 'input needed') },
      T + 1,
      'waiting/question registry.waiting',
    ],
    [
      'waiting in a dialog',
      { registry: registryOf('waiting', T, 'dialog open') },
      T + 1,
      'waiting/setup registry.waiting',
    ],
    [
      'a registry without times never overrules hooks (2.1.150)',
      { hooks: hooksOf(prompted), registry: registryOf('idle', null) },
      T + 60_000,
      'active/thinking hook.UserPromptSubmit',
    ],
    [
      'hooks without a screen, interrupted: the registry reports it',
      { hooks: hooksOf(prompted), registry: registryOf('idle', T + 2_000) },
      T + 2_700,
      'idle/waiting_input registry.idle',
    ],
  ];
  test.each(rows)('%s', (_, evidence, now, expected) => expect(said(evidence, now)).toBe(expected));
});

describe('when to look again', () => {
  test('a contradiction that would end has a time, and is decided then', () => {
    const evidence = evidenceOf({
      hooks: hooksOf(prompted),
      screen: screenOf([T, FRAMES.thinking], [T + 2_000, FRAMES.idle]),
    });
    let now = T + 2_000;
    for (let step = 0; step < 10; step++) {
      const verdict = derive(evidence, now);
      if (verdict.recheckAt === null) break;
      expect(verdict.recheckAt).toBeGreaterThan(now);
      now = verdict.recheckAt;
    }
    expect(derive(evidence, now)).toMatchObject({ primary: 'idle', recheckAt: null });
    expect(now).toBeLessThan(T + 4_000);
  });

  test('agreement needs no time', () => {
    const evidence = evidenceOf({ hooks: hooksOf(prompted), screen: screenOf([T, FRAMES.thinking]) });
    expect(derive(evidence, T + 500).recheckAt).toBeNull();
  });
});

describe('a line in the colour of an error above an idle prompt', () => {
  const LONG = ' More of the answer.'.repeat(400);
  test.each([
    ['that begins the answer is the answer', 'API Error: 529 is in the log.', 'API Error: 529 is in', 'hook'],
    ['that is not the answer is an error', 'Done as asked.', 'API Error: 529 Overloaded', 'screen'],
    ['that begins a long answer is the answer', `API Error: 529 is in the log.${LONG}`, 'API Error: 529 is in', 'hook'],
    ['that does not begin a long answer is an error', `Done as asked.${LONG}`, 'API Error: 529 Overloaded', 'screen'],
  ] as const)('%s', (_, answer, line, source) => {
    const idle = { primary: 'idle', rule: '', since: T } as const;
    const hearing = {
      hook: { ...idle, source: 'hook', detail: 'waiting_input', evidence: answer },
      screen: { ...idle, source: 'screen', detail: 'error', evidence: line },
      evidence: evidenceOf({ hooks: hooksOf(prompted, hook(T + 5, 'Stop', { last_assistant_message: answer })) }),
    } as unknown as FullHearing;
    expect(agree(hearing).winner?.source).toBe(source);
  });
});
