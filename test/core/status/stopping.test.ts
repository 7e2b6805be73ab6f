import { describe, expect, test } from 'vitest';
import { derive, type Evidence } from '../../../src/core/status/index.ts';
import { bash, evidenceOf, FRAMES, frame, hook, hooksOf, RULE, registryOf, screenOf } from './evidence-maker.ts';

const T = 100_000;
const prompted = hook(T, 'UserPromptSubmit', { prompt: 'go on' });
const stopped = hook(T + 5_000, 'Stop', { last_assistant_message: 'Done as asked.' });
const asks = hook(T + 5_000, 'Stop', { last_assistant_message: 'Shall I go on?' });
const blocked = hook(T + 7_000, 'Stop', { last_assistant_message: 'Still done.', stop_hook_active: true });

/** The screen while Stop hooks run and after one of them has blocked, as 2.1.330 draws it. */
const RUNNING = frame([
  '❯ go on',
  '',
  '● Done as asked.',
  '',
  '✻ Wrangling… (running Stop hooks… 1/2 · 0s · ↓ 4 tokens)',
  '',
  RULE,
  '❯ ',
  RULE,
  '  ⏸ manual mode on · esc to interrupt',
]);
const LATER = frame(RUNNING.lines.map((line) => line.replace('0s', '55s')));
const CONTINUES = frame([
  '❯ go on',
  '',
  '● Done as asked.',
  '',
  '● Ran 2 stop hooks (ctrl+o to expand)',
  '  ⎿  Stop hook reported a problem',
  '     Not yet: 3 left',
  '',
  '✽ Wrangling… (1s · ↓ 8 tokens)',
  '',
  RULE,
  '❯ ',
  RULE,
  '  ⏸ manual mode on · esc to interrupt',
]);
const DRAFT = frame(['❯ go on', '', '● Done as', '', RULE, '❯ and then', RULE, '  ⏸ manual mode on']);
const BUSY = registryOf('busy', T + 60);

const said = (evidence: Partial<Evidence>, now: number): string => {
  const { primary, detail, because } = derive(evidenceOf(evidence), now);
  return `${primary}/${detail} ${because.rule}`;
};

describe('a turn is over when Claude Code has stopped, not when it announces that it stops', () => {
  const rows: [string, Partial<Evidence>, number, string][] = [
    [
      'while Stop hooks run',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T + 50, RUNNING]), registry: BUSY },
      T + 5_010,
      'active/responding screen.spinner',
    ],
    [
      'however long they run',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T + 50, RUNNING], [T + 60_000, LATER]),
        registry: BUSY,
      },
      T + 60_010,
      'active/responding screen.spinner',
    ],
    [
      'after a Stop hook has blocked',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T + 50, RUNNING], [T + 5_300, CONTINUES]),
        registry: BUSY,
      },
      T + 5_900,
      'active/thinking screen.spinner',
    ],
    [
      'after it has blocked for the second time',
      {
        hooks: hooksOf(prompted, stopped, blocked),
        screen: screenOf([T + 50, RUNNING], [T + 5_300, CONTINUES]),
        registry: BUSY,
      },
      T + 7_010,
      'active/thinking screen.spinner',
    ],
    [
      'a question at the end of a blocked answer is not asked yet',
      { hooks: hooksOf(prompted, asks), screen: screenOf([T + 50, RUNNING]), registry: BUSY },
      T + 5_010,
      'active/responding screen.spinner',
    ],
    [
      'a tool that the prolonged turn calls',
      {
        hooks: hooksOf(prompted, stopped, hook(T + 6_000, 'PreToolUse', bash('b'))),
        screen: screenOf([T + 50, RUNNING], [T + 5_300, CONTINUES]),
        registry: BUSY,
      },
      T + 6_010,
      'active/using_tools hook.PreToolUse',
    ],
    [
      'the registry reports the end: no Stop hook blocks any more',
      {
        hooks: hooksOf(prompted, stopped, blocked),
        screen: screenOf([T + 50, RUNNING], [T + 5_300, CONTINUES]),
        registry: registryOf('idle', T + 7_060),
      },
      T + 7_070,
      'idle/waiting_input hook.Stop',
    ],
    [
      'the screen shows the end before the registry',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T + 50, RUNNING], [T + 5_020, FRAMES.idle]),
        registry: BUSY,
      },
      T + 5_400,
      'idle/waiting_input hook.Stop',
    ],
    [
      'a draft hides the signs of the turn, so the registry decides',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T + 50, RUNNING], [T + 2_000, DRAFT]), registry: BUSY },
      T + 9_000,
      'active/thinking registry.busy',
    ],
    [
      'a screen that has shown neither the turn nor its end counts as late at first',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T + 1_000, FRAMES.idle]), registry: BUSY },
      T + 5_500,
      'active/thinking registry.busy',
    ],
    [
      'but not for long',
      { hooks: hooksOf(prompted, stopped), screen: screenOf([T + 1_000, FRAMES.idle]), registry: BUSY },
      T + 6_001,
      'idle/waiting_input hook.Stop',
    ],
    [
      'without a screen, the registry decides',
      { hooks: hooksOf(prompted, stopped), registry: BUSY },
      T + 9_000,
      'active/thinking registry.busy',
    ],
    [
      'but its record may be stale',
      { hooks: hooksOf(prompted, stopped), registry: BUSY },
      T + 10_001,
      'idle/waiting_input hook.Stop',
    ],
    [
      'a registry without times and an idle screen do not delay the end (2.1.150)',
      {
        hooks: hooksOf(prompted, stopped),
        screen: screenOf([T, FRAMES.thinking], [T + 4_800, FRAMES.idle]),
        registry: registryOf('busy', null),
      },
      T + 5_100,
      'idle/waiting_input hook.Stop',
    ],
    [
      'a failed turn has ended: no Stop hook runs after it',
      {
        hooks: hooksOf(prompted, hook(T + 5_000, 'StopFailure', { error: 'overloaded' })),
        screen: screenOf([T + 50, FRAMES.thinking]),
        registry: BUSY,
      },
      T + 5_010,
      'idle/error hook.StopFailure',
    ],
  ];
  test.each(rows)('%s', (_, evidence, now, expected) => expect(said(evidence, now)).toBe(expected));
});
