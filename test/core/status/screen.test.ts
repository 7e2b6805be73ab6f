import { describe, expect, test } from 'vitest';
import { createTimeline, DEFAULT_THRESHOLDS, readScreen, SCREEN_RULES } from '../../../src/core/status/index.ts';
import { FRAMES, frame, RULE, screenOf } from './evidence-maker.ts';

const word = (lines: readonly string[]): string => {
  const { primary, detail } = readScreen(frame(lines));
  return `${primary}/${detail}`;
};
const PROMPT = [RULE, '❯ ', RULE, '  ⏸ manual mode on · ? for shortcuts'];
/** An answer that quotes a whole screen of Claude Code, indented by two columns as answers are. */
const quoting = (quoted: readonly string[]): string[] => [
  '❯ show me',
  '',
  '● It looks like this:',
  '',
  ...quoted.map((line) => `  ${line}`),
  '',
  '  That is all.',
  '',
  '✻ Worked for 2s · done 3:08 PM',
  '',
  ...PROMPT,
];

describe('the content of an answer decides nothing', () => {
  test.each([
    ['a permission dialog', FRAMES.permission.lines.slice(4, 14)],
    ['a trust dialog', FRAMES.trust.lines.slice(0, 9)],
    ['a spinner', ['✻ Brewing… (2s · ↓ 4 tokens · esc to interrupt)']],
    ['an error', ['API Error: 500 Internal server error', 'Error: it FAILED']],
    ['a chosen option', ['❯ 1. Yes', '  2. No', '', 'Esc to cancel']],
  ])('%s', (_, quoted) => {
    expect(word(quoting(quoted))).toBe('idle/waiting_input');
  });

  test('nor does the content of a half-typed prompt', () => {
    const draft = ['❯ Do you want to proceed? ❯ 1. Yes Error: esc to interrupt Thinking…'];
    const reading = readScreen(frame([RULE, ...draft, RULE, '  ⏸ manual mode on']));
    expect(reading).toMatchObject({ primary: 'idle', detail: 'ready', dialog: null });
    expect(reading.draft).toContain('Do you want to proceed?');
  });

  test('nor does the command that a dialog asks about', () => {
    const lines = FRAMES.permission.lines.with(6, ' printf "1. Yes 2. Maybe" # Would you like to proceed?');
    const { dialog } = readScreen(frame(lines));
    expect(dialog?.kind).toBe('permission');
    expect(dialog?.parts[0]?.options.map((option) => option.label)).toEqual([
      'Yes',
      'Yes, and don’t ask again for npm test commands in /home/user/project',
      'No',
    ]);
  });
});

test('a list that is being read is no turn, and a turn may have the same words', () => {
  expect(word(['✢ Loading sessions…'])).toBe('null/null');
  expect(word(['❯ go on', '', '✢ Loading sessions… (2s · ↓ 4 tokens)', '', ...PROMPT])).toBe('active/thinking');
});

test('the note that a Stop hook was overruled is drawn like an error, and is none', () => {
  const note = '● A hook blocked the turn from ending 9 consecutive times—overriding and ending turn.';
  const shown = { ...frame(['❯ go on', '', '● Done.', '', note, '', ...PROMPT]), alertRows: [4] };
  expect(readScreen(shown)).toMatchObject({ primary: 'idle', detail: 'waiting_input' });
});

test.each([
  '● Unknown command: /nonsense',
  '● Args from unknown skill: x',
  '● /privacy-settings needs a Claude subscription. This session uses ANTHROPIC_API_KEY instead.',
  "● /install-github-app isn't available while ANTHROPIC_BASE_URL is set.",
])('a slash command that was not carried out leaves the status of the last turn: %s', (notice) => {
  const after = (said: readonly string[], alertRows: readonly number[]): string => {
    const lines = [...said, notice, '', ...PROMPT];
    const { primary, detail } = readScreen({ ...frame(lines), alertRows: [...alertRows, said.length] });
    return `${primary}/${detail}`;
  };
  expect(after([], [])).toBe('idle/ready');
  expect(after(['❯ go on', '', '● Done.', '', '✻ Cooked for 3s · done 3:20 AM', ''], [])).toBe('idle/waiting_input');
  expect(after(['❯ go on', '', '● API Error: 400 No', ''], [2])).toBe('idle/error');
});

describe('what a running turn does', () => {
  const BELOW = ['✻ Brewing… (7s · ↓ 26 tokens)', '', RULE, '❯ ', RULE, '  ⏸ manual mode on · esc to interrupt'];
  const running = (last: readonly string[]): string[] => ['❯ go on', '', '● I look.', '', ...last, '', ...BELOW];

  test('an answer that shows a call is an answer', () => {
    const quoted = ['● The log says:', '', '    ⎿  API Error: 529', '', '  ● Bash(npm test)', '    ⎿  Running…'];
    expect(word(running(quoted))).toBe('active/responding');
    expect(word(running(['● Bash(npm test)', '  ⎿  Running…']))).toBe('active/using_tools');
  });

  test('a file read is over once it is drawn, and so is background work', () => {
    expect(word(running(['  Reading 1 file… (ctrl+o to expand)', '  ⎿  README.md']))).toBe('active/thinking');
    expect(word(running(['● Agent "Look at the tests" finished · 16s']))).toBe('active/thinking');
    expect(word(running(['● Background command "Wait" completed (exit code 0)']))).toBe('active/thinking');
  });

  test('a command that shows no clock after three seconds has ended, and so has one whose clock is gone', () => {
    const said: string[] = [];
    const timeline = createTimeline({
      thresholds: DEFAULT_THRESHOLDS,
      onChange: ({ at, primary, detail }) => said.push(`${at} ${primary}/${detail}`),
    });
    let at = 0;
    const command = (sign: string, clock = ''): void => {
      const lines = running([`${sign} Waiting for the server`, `  ⎿  $ ./quiet.sh${clock}`]);
      timeline.see(frame(lines), at);
    };
    for (; at <= 2_400; at += 600) command(at % 1_200 === 0 ? '●' : ' ');
    at = 3_200;
    command(' ', ' (3s)');
    for (at = 4_200; at <= 8_200; at += 1_000) command('●', ` (${Math.floor(at / 1_000)}s)`);
    for (at = 9_000; at <= 15_000; at += 600) command(at % 1_200 === 0 ? '●' : ' ');
    at = 16_000;
    timeline.see(frame(running(['● It is up.'])), at);
    for (at = 20_000; at <= 26_000; at += 600) command(at % 1_200 === 0 ? '●' : ' ');
    expect(said).toEqual([
      '0 active/using_tools',
      '9060 active/thinking',
      '16060 active/responding',
      '20060 active/using_tools',
      '23360 active/thinking',
    ]);
  });
});

describe('drafts and suggestions', () => {
  test('a suggestion of Claude Code does not count as a draft, judged by its look or its words', () => {
    const lines = [RULE, '❯ Press up to edit queued messages', RULE];
    expect(readScreen(frame(lines)).draft).toBeNull();
    const unknown = frame([RULE, '❯ Ask about the weather', RULE], { cursor: { row: 5, col: 9 } });
    expect(readScreen(unknown).draft).toBe('Ask about the weather');
    expect(readScreen({ ...unknown, dimRows: [1] }).draft).toBeNull();
    expect(readScreen({ ...unknown, cursor: { row: 1, col: 2 } }).draft).toBeNull();
  });

  test('the hint about the arguments of a slash command is no part of the draft, unless somebody typed it', () => {
    const box = [RULE, '❯ /compact  <optional instructions>', RULE];
    expect(readScreen(frame(box, { cursor: { row: 1, col: 11 } })).draft).toBe('/compact');
    expect(readScreen(frame(box, { cursor: { row: 1, col: 35 } })).draft).toBe('/compact  <optional instructions>');
  });

  test('a draft of several lines is read completely', () => {
    const lines = [RULE, '❯ first', '  second', '', '  fourth', RULE];
    expect(readScreen(frame(lines, { cursor: { row: 4, col: 8 } })).draft).toBe('first\nsecond\n\nfourth');
  });
});

describe('an idle screen', () => {
  test('with a background shell is idle', () => {
    const lines = [
      '❯ go',
      '',
      '● Started.',
      '',
      '✻ Crunched for 2s · done 2:55 PM · 1 shell still running',
      '',
      ...PROMPT,
    ];
    expect(word(lines)).toBe('idle/waiting_input');
  });

  test('with the effort mark and without any answer is ready', () => {
    expect(word([' Claude Code v2.1.329', '', '                       ◐ medium · /effort', ...PROMPT])).toBe(
      'idle/ready',
    );
  });

  test('after a slash command that prompts no model is still ready', () => {
    expect(word(['❯ /model', '  ⎿  Kept model as Opus', '', ...PROMPT])).toBe('idle/ready');
  });

  test.each([
    ['● API Error: 400 The request was refused'],
    ['  ⎿  Credit balance too low · Add funds: https://example.com'],
    ['  ⎿  5-hour limit reached ∙ resets 3pm'],
    ['● {}'],
  ])('with "%s" below the prompt ended in an error', (line) => {
    expect(word(['❯ go', line.startsWith('●') ? '' : line, line.startsWith('●') ? line : '', '', ...PROMPT])).toBe(
      'idle/error',
    );
  });

  test('after an error and a successful turn no longer shows the error', () => {
    expect(word(['❯ go', '', '● API Error: 400 no', '', '❯ again', '', '● Done.', '', ...PROMPT])).toBe(
      'idle/waiting_input',
    );
  });
});

test('a question that is not completely drawn is not guessed: options are reported as they are drawn', () => {
  const { dialog } = readScreen(frame(FRAMES.permission.lines.slice(7, 14)));
  expect(dialog).toMatchObject({ kind: 'permission', chosen: 0 });
});

test('every rule names the versions on which it was seen', () => {
  expect(new Set(SCREEN_RULES.map((rule) => rule.id)).size).toBe(SCREEN_RULES.length);
  expect(SCREEN_RULES.filter((rule) => rule.versions.length === 0)).toEqual([]);
});

describe('progress is distinguished from motion', () => {
  const later = (lines: readonly string[]): readonly [number, number] => {
    const screen = screenOf([0, FRAMES.tool], [500, frame(lines)]);
    return [screen?.changedAt ?? -1, screen?.progressedAt ?? -1];
  };
  test.each([
    ['a spinner that turns', FRAMES.tool.lines.with(5, '✽ Mulling… (9s · ↑ 1.2k tokens)'), [500, 0]],
    ['a sign that blinks', FRAMES.tool.lines.with(2, '  Bash(npm test)'), [500, 0]],
    ['output of a tool', FRAMES.tool.lines.with(3, '  ⎿  12 passed'), [500, 500]],
    ['nothing', FRAMES.tool.lines, [0, 0]],
  ])('%s', (_, lines, times) => expect(later(lines)).toEqual(times));
});
