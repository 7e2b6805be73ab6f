import { describe, expect, test } from 'vitest';
import {
  chosenConversation,
  continuingArguments,
  forkedArguments,
  isRepeatable,
  mergeSettings,
  nameWorktree,
  planArguments,
  readSettings,
  refusedArgument,
  resumedConversation,
  settingsArgument,
  withoutSettings,
  worktreeArgument,
} from '../../../src/core/launch/index.ts';

const ID = '3f1c7f0e-59a2-4b0e-9c61-0d7f6f5f2a11';

describe('arguments for Claude Code', () => {
  test.each([
    ['screen', ['--bg'], '--bg'],
    ['screen', ['--add-dir', '/a', '/b', '--background'], '--background'],
    ['screen', ['--bare'], '--bare'],
    ['screen', ['--safe-mode'], '--safe-mode'],
    ['screen', ['-p'], '-p'],
    ['screen', ['--print=x'], '--print'],
    ['screen', ['-cp'], '-p'],
    ['screen', ['--remote', 'build it'], '--remote'],
    ['screen', ['--rewind-files', ID], '--rewind-files'],
    ['screen', ['--output-format', 'json'], '--output-format'],
    ['screen', ['--permission-prompt-tool', 'mcp__x__y'], '--permission-prompt-tool'],
    ['screen', ['--worktree', 'w', '--tmux'], '--tmux'],
    ['screen', ['--version'], '--version'],
    ['screen', ['mcp', 'list'], 'mcp'],
    ['screen', ['--model', 'opus', 'doctor'], 'doctor'],
    ['screen', ['--fork-session'], '--fork-session'],
    ['json', ['--input-format', 'text'], '--input-format'],
    ['json', ['--resume', ID], '--resume'],
    ['json', [`-r${ID}`], '-r'],
    ['json', ['-c'], '-c'],
    ['json', ['-pc'], '-c'],
    ['json', ['--session-id', ID], '--session-id'],
    ['json', ['--no-session-persistence'], '--no-session-persistence'],
    ['json', ['--max-budget-usd', 'much'], '--max-budget-usd'],
    ['json', ['do this'], 'do this'],
  ] as const)('in a %s session, %j is refused, with a cure', (type, args, argument) => {
    expect(refusedArgument(type, args)).toMatchObject({ argument, cure: expect.stringMatching(/\w/) });
  });

  test.each([
    ['screen', ['--resume', ID, '--fork-session']],
    ['screen', ['--append-system-prompt', '--bg']],
    ['screen', ['--append-system-prompt', '-cp']],
    ['screen', ['-dcp']],
    ['screen', ['--', '--bg']],
    ['screen', ['fix the doctor']],
    ['screen', ['--debug', 'mcp']],
    ['screen', ['--from-a-later-version', 'mcp']],
    ['json', ['--include-hook-events', '--settings', '{}', '--print']],
  ] as const)('in a %s session, %j is accepted', (type, args) => {
    expect(refusedArgument(type, args)).toBeNull();
  });

  test('CBOS takes the options that it passes itself, and keeps the rest in order', () => {
    expect(
      planArguments(['--add-dir', '/a', '--model=opus', '--permission-mode', 'plan', '--', '--model', 'x']),
    ).toEqual({
      args: ['--add-dir', '/a', '--', '--model', 'x'],
      model: 'opus',
      permission_mode: 'plan',
    });
    expect(planArguments(['--max-budget-usd', '2.5', '--verbose'])).toEqual({
      args: ['--verbose'],
      max_budget_usd: 2.5,
    });
  });

  test('the conversation that arguments choose', () => {
    expect(chosenConversation(['--resume', ID])).toEqual({ kind: 'id', id: ID });
    expect(chosenConversation([`--resume=/home/me/.claude/projects/-x/${ID}.jsonl`])).toEqual({ kind: 'id', id: ID });
    expect(chosenConversation(['-c'])).toEqual({ kind: 'newest' });
    expect(chosenConversation(['-c', '--resume', ID])).toEqual({ kind: 'newest' });
    expect(chosenConversation(['-r', ID, '-c'])).toEqual({ kind: 'newest' });
    expect(chosenConversation(['--resume', ID, '--fork-session'])).toBeNull();
    expect(chosenConversation(['--resume', ID, '-r', `My ${ID}`])).toEqual({ kind: 'name', name: `My ${ID}` });
    for (const args of [['-r', 'a name'], ['-ra name'], ['--resume=a name'], ['--resume', 'a name', '--verbose']]) {
      expect([args, chosenConversation(args)]).toEqual([args, { kind: 'name', name: 'a name' }]);
    }
    const ofNone = [['-r'], ['--resume='], ['-r', 'a name', '--fork-session'], ['-r', 'x.jsonl'], ['--from-pr', '7']];
    expect(ofNone.map(chosenConversation)).toEqual(ofNone.map(() => null));
    expect(chosenConversation(['--append-system-prompt', '-c'])).toBeNull();
    expect(resumedConversation([`-r${ID}`])).toBe(ID);
    expect([['--session-id', ID], ['-c'], ['-r', ID, '--fork-session']].map(resumedConversation)).toEqual(
      Array(3).fill(null),
    );
  });

  test('a launch that continues its own conversation gets neither another one nor a prompt', () => {
    expect(continuingArguments(['--resume', ID, '--add-dir', '/a', '--fork-session', '--', 'go on'])).toEqual([
      '--add-dir',
      '/a',
    ]);
    expect(continuingArguments(['--verbose', 'do this', '-c'])).toEqual(['--verbose']);
    expect(continuingArguments(['-cd', 'api'])).toEqual(['-d', 'api']);
    expect(continuingArguments(['--unknown', 'word'])).toEqual(['--unknown', 'word']);
    expect(continuingArguments(['--unknown', '--', 'do this'])).toEqual(['--unknown']);
    // The text would be in the prompt box again, and CBOS types nothing into a box with text.
    expect(continuingArguments(['--prefill', 'half a prompt', '--verbose'])).toEqual(['--verbose']);
  });

  test('a copy of a session does not work in the worktree that the arguments of the session name', () => {
    expect(forkedArguments(['-w', 'feat', '--verbose', '--worktree=other', '-c', 'do this'])).toEqual(['--verbose']);
  });

  test('a worktree without a name gets one, because each launch would make another worktree', () => {
    expect(nameWorktree(['--verbose', '-w', '--', '-w'], 'A-1')).toEqual(['--verbose', '--worktree=A-1', '--', '-w']);
    expect(nameWorktree(['--worktree=', '-wfeat', '-w', 'feat'], 'A-1')).toEqual([
      '--worktree=A-1',
      '-wfeat',
      '-w',
      'feat',
    ]);
  });

  test('the folder of the worktree that arguments name', () => {
    const folderOf = (name: string): string | null => worktreeArgument(['-w', 'first', `--worktree=${name}`]);
    expect(folderOf('feat')).toBe('feat');
    expect(folderOf('feat/x/y')).toBe('feat+x+y');
    expect(folderOf('#012')).toBe('pr-12');
    expect(folderOf('https://example.org/owner/name/pull/7?files')).toBe('pr-7');
    expect(folderOf('https://example.org/a/b/c/-/merge_requests/8/')).toBe('pr-8');
    expect(worktreeArgument(['--verbose'])).toBeNull();
  });

  test('settings without a value are refused, because Claude Code would take another argument as the value', () => {
    for (const args of [['--settings'], ['--verbose', '--settings='], ['--settings', '']]) {
      expect(refusedArgument('screen', args)).toMatchObject({ argument: '--settings' });
      expect(refusedArgument('json', args)).toMatchObject({ argument: '--settings' });
    }
    expect(refusedArgument('screen', ['--settings', '{}'])).toBeNull();
  });

  test('of several settings, the last counts', () => {
    const args = ['--settings', 'a.json', '--settings={}', '--verbose', '--', '--settings'];
    expect(settingsArgument(args)).toBe('{}');
    expect(withoutSettings(args)).toEqual(['--verbose', '--', '--settings']);
  });
});

test.each<[string[], boolean]>([
  [[], true],
  [['--verbose'], true],
  [['--add-dir', '../lib', '--verbose'], true],
  [['--effort=high'], true],
  [['do the work'], false],
  [['--verbose', 'do the work'], false],
  [['--effort=high', 'do the work'], false],
  [['--', 'do the work'], false],
  [['--add-dir', '../lib', '../more'], true],
  [['--append-system-prompt', '--continue'], true],
  [['--from-a-later-version=high'], true],
  [['--from-a-later-version', 'do the work'], false],
  [['-cd'], false],
  [['--continue'], false],
  [['-c'], false],
  [['--resume', ID], false],
  [[`--resume=${ID}`], false],
  [['--session-id', ID, '--fork-session'], false],
])('a launch with the arguments %j can be repeated: %s', (args, repeatable) => {
  expect(isRepeatable(args)).toBe(repeatable);
});

describe('settings', () => {
  test.each([
    ['{\n  "a": 1,\n  // why\n  "b": 2\n}', /^line 3, column 3: /],
    ['{"a": 1,}', /^line 1, column 9: /],
    ['{"a": [1, 2', /^line 1, column 12: /],
    ['', /^line 1, column 1: /],
    ['[]', /not an object/],
  ])('%j is refused with its place', (text, where) => {
    expect(readSettings(text)).toEqual({ fault: { because: 'json', where: expect.stringMatching(where) } });
  });

  test('hooks that Claude Code could not read, or that are disabled, are refused', () => {
    expect(readSettings('{"hooks": {"Stop": "x"}}')).toEqual({ fault: { because: 'hooks' } });
    expect(readSettings('{"disableAllHooks": true}')).toEqual({ fault: { because: 'disabled' } });
    expect(readSettings('\uFEFF{"model": "opus"}')).toEqual({ settings: { model: 'opus' } });
  });

  test('the hooks of both run', () => {
    const own = { model: 'opus', hooks: { Stop: ['own'], Elicitation: ['own'] } };
    expect(mergeSettings(own, { hooks: { Stop: ['ours'], SessionEnd: ['ours'] }, statusLine: 'ours' })).toEqual({
      model: 'opus',
      statusLine: 'ours',
      hooks: { Stop: ['own', 'ours'], Elicitation: ['own'], SessionEnd: ['ours'] },
    });
  });
});
