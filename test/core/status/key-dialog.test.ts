import { describe, expect, test } from 'vitest';
import { derive, NO_HOOKS, observeHook, readScreen } from '../../../src/core/status/index.ts';
import { evidenceOf, frame, RULE, screenOf } from './evidence-maker.ts';

const TEXT = [
  "  Auto mode can't check actions in this session",
  '',
  "  Auto mode's safety check runs on the server. Your requests go",
  "  through gateway, and the check isn't getting through.",
  '',
];
const HINTS = ['  Enter to stay in auto mode · shift+Tab to leave for accept edits mode', '  and stop · Esc to cancel'];
const shown = (lines: readonly string[]) => frame(['❯ do it', '', '● Bash(make)', '  ⎿  Waiting…', RULE, ...lines]);
const read = (lines: readonly string[]) => readScreen(shown(lines));

describe('a dialog in which each answer has a key', () => {
  test('is read with its text and an option for each key, and lines that were broken are joined', () => {
    const { primary, detail, dialog } = read([...TEXT, ...HINTS]);
    expect([primary, detail]).toEqual(['waiting', 'setup']);
    expect(dialog).toMatchObject({ keys: ['\r', '\x1b[Z', '\x1b'], isWhole: true });
    expect(dialog?.parts[0]?.text).toBe(
      "Auto mode can't check actions in this session\nAuto mode's safety check runs on the server. Your requests go through gateway, and the check isn't getting through.",
    );
    expect(dialog?.parts[0]?.options.map(({ label, means }) => [label, means])).toEqual([
      ['stay in auto mode', 'choice'],
      ['leave for accept edits mode and stop', 'choice'],
      ['cancel', 'no'],
    ]);
  });

  test('has no key for an option that Claude Code does not accept in this window', () => {
    const low = [
      '  Enter to stay in auto mode · shift+Tab to leave for accept edits mode and',
      '  stop (needs a taller window) · Esc to cancel',
    ];
    expect(read([...TEXT.slice(2), ' ↑ 2 more lines', ...low]).dialog).toMatchObject({ keys: ['\r', null, '\x1b'] });
  });

  test('is not whole before its last key is drawn', () => {
    expect(read([...TEXT, '  Enter to stay in auto mode · shift+Tab to leave for']).dialog).toMatchObject({
      isWhole: false,
    });
  });

  test('is not seen in a permission dialog that quotes it', () => {
    const quoting = [' Bash command', '', `   echo "${HINTS[0]?.trim()}`, ...HINTS, '', ' Do you want to proceed?'];
    const { detail, dialog } = read([...quoting, ' ❯ 1. Yes', '   2. No', '', ' Esc to cancel']);
    expect([detail, dialog?.keys]).toEqual(['permission', undefined]);
  });

  test('other hints about keys are no options', () => {
    expect(read(['  Search', '', '  Enter to select · shift+Tab to go back · Esc to cancel']).dialog).toBeNull();
  });
});

describe('the dialog stays the question of the session', () => {
  const call = (event: string, at: number, id: string) => ({
    ...{ event, at, wait: null },
    payload: { tool_name: 'Bash', tool_use_id: id, tool_input: { command: id } },
  });
  const prompt = { event: 'UserPromptSubmit', at: 1, payload: { prompt: 'go' }, wait: null };
  test.each([
    ['another call begins', call('PreToolUse', 1_200, 'ls')],
    ['an agent has asked for permission', call('PermissionRequest', 900, 'ls')],
  ])('although %s', (_, other) => {
    const hooks = [prompt, call('PreToolUse', 2, 'make'), other].reduce(observeHook, NO_HOOKS);
    const screen = screenOf([1_000, shown([...TEXT, ...HINTS])]);
    const { primary, detail, question } = derive(evidenceOf({ hooks, screen }), 1_300);
    expect([primary, detail, question?.kind, question?.options.length]).toEqual(['waiting', 'setup', 'setup', 3]);
    expect(question?.text).toMatch(/^Auto mode can't check/);
  });

  test('and an agent that asks in that time is an open question behind it', () => {
    const payload = { tool_name: 'Bash', tool_input: { command: 'ls' }, agent_id: 'a1' };
    const asking = { event: 'PermissionRequest', at: 1_200, payload, wait: null };
    const hooks = [prompt, call('PreToolUse', 2, 'make'), asking].reduce(observeHook, NO_HOOKS);
    const { questions } = derive(evidenceOf({ hooks, screen: screenOf([1_000, shown([...TEXT, ...HINTS])]) }), 1_300);
    expect(questions.map(({ kind, behind }) => [kind, behind])).toEqual([
      ['setup', undefined],
      ['permission', true],
    ]);
  });
});

test('the notice about a check that fails is no error of the turn, although it has the colour of one', () => {
  const lines = [
    '❯ do it',
    '',
    '● Bash(make)',
    '  ⎿  Interrupted · What should Claude do instead?',
    '',
    "● Auto mode can't check actions in this session. Its safety check runs on the server.",
    '',
    RULE,
    '❯ ',
    RULE,
    '  ⏵⏵ auto mode on (shift+tab to cycle)',
  ];
  const coloured = { ...frame(lines), alertRows: [5] };
  expect(readScreen(coloured)).toMatchObject({ primary: 'idle', detail: 'waiting_input' });
  const failed = lines.with(5, '● Some failure of the API');
  expect(readScreen({ ...coloured, lines: frame(failed).lines })).toMatchObject({ primary: 'idle', detail: 'error' });
});
