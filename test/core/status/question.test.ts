import { describe, expect, test } from 'vitest';
import type { PendingTool, ScreenDialog } from '../../../src/core/status/index.ts';
import { dialogQuestion } from '../../../src/core/status/question.ts';
import { toolBehind } from '../../../src/core/status/tool-behind.ts';

const call = <Input>(id: string, name: string, input: Input): PendingTool & { input: Input } => ({
  id,
  name,
  input,
  at: 1,
  requestedAt: 2,
  agent: null,
});
const asks = (id: string, text: string): PendingTool =>
  call(id, 'AskUserQuestion', { questions: [{ question: text, header: 'H', options: [] }] });
const dialog = (kind: ScreenDialog['kind'], text: string): ScreenDialog => ({
  kind,
  parts: [{ header: null, text, options: [], multi: false }],
  chosen: 0,
  checked: [],
  freeText: null,
  numbered: true,
  isWhole: true,
});

describe('the call behind an open dialog, next to one that was interrupted without a hook,', () => {
  test('is the one whose question is shown', () => {
    const tools = [asks('old', 'Which letter?'), asks('new', 'Which number?')];
    expect(toolBehind(dialog('question', 'Which number?'), tools)?.id).toBe('new');
    expect(toolBehind(dialog('question', 'Which letter?'), tools)?.id).toBe('old');
    expect(toolBehind(dialog('question', 'Review your answers'), tools)?.id).toBe('new');
  });

  test('is the one whose whole command is shown, not the one whose command begins the same', () => {
    const tools = [call('old', 'Bash', { command: 'rm -r a' }), call('new', 'Bash', { command: 'rm -r ab' })];
    expect(toolBehind(dialog('permission', 'Bash command\nrm -r ab'), tools)?.id).toBe('new');
    expect(toolBehind(dialog('permission', 'Bash command\nrm -r a'), tools)?.id).toBe('old');
  });

  test('is unknown if the dialog shows another command, whose hook has not arrived yet', () => {
    const tools = [call('old', 'Bash', { command: 'touch ../one' })];
    expect(toolBehind(dialog('permission', 'Bash command\nCreate it\ntouch ../other'), tools)).toBeNull();
    expect(toolBehind(dialog('permission', 'Bash command\nCreate it\ntouch ../one'), tools)?.id).toBe('old');
  });

  test.each([
    ['whole', (command: string) => `│ ${command.slice(0, 50)}│\n│ ${command.slice(50)}│\n`],
    ['up to an ellipsis', (command: string) => `${command.slice(0, 99)}…\n`],
    ['up to the end of the dialog', (command: string) => command.slice(0, 99)],
  ])('is not the one whose command only begins like the shown one, which is shown %s', (_, shown) => {
    const folder = `/home/someone/${'a-long-name/'.repeat(6)}`;
    const [one, other] = ['one', 'other'].map((name) => `touch ${folder}${name} && echo the file of an agent is there`);
    const tools = [call('old', 'Bash', { command: one })];
    const shows = (command = '') => dialog('permission', `Bash command\nCreate it\n${shown(command)}`);
    expect(toolBehind(shows(one), tools)?.id).toBe('old');
    expect(toolBehind(shows(other), tools)).toBeNull();
  });

  test('is not the one whose command is only the beginning of the shown one', () => {
    const tools = [call('old', 'Bash', { command: 'rm -r a' })];
    expect(toolBehind(dialog('permission', 'Bash command\nrm -r a'), tools)?.id).toBe('old');
    expect(toolBehind(dialog('permission', 'Bash command\nrm -r ab'), tools)).toBeNull();
  });

  test('is unknown if the dialog shows another question', () => {
    const tools = [asks('old', 'Which letter shall it be?')];
    expect(toolBehind(dialog('question', 'Which number?'), tools)).toBeNull();
    expect(toolBehind(dialog('question', 'Which letter\nshall it be?'), tools)?.id).toBe('old');
    // The window cuts off the first line, or shows none of it.
    expect(toolBehind(dialog('question', 'shall it be?'), tools)?.id).toBe('old');
    expect(toolBehind(dialog('question', ''), tools)?.id).toBe('old');
  });

  test('is the requested call if the dialog hides its command, and none if another call is possible', () => {
    const shown = dialog(
      'permission',
      'Bash command\nSay it\n(value cannot be shown in full — approval withheld; one-time options only)\nDo you want to proceed?',
    );
    const long = call('long', 'Bash', { command: `${'echo\n'.repeat(9_000)}touch evil` });
    expect(toolBehind(shown, [long])?.id).toBe('long');
    expect(toolBehind(shown, [long, call('other', 'Bash', { command: 'ls' })])).toBeNull();
    const of = (tool: PendingTool | null) =>
      dialogQuestion({ kind: 'permission', dialog: shown, tool, openedAt: 1, movedMs: 0 }).cut;
    expect([of(long), of(null), of({ ...long, cut: true })]).toEqual([undefined, true, true]);
  });

  test('is found at once, however long its input is', () => {
    const command = `${'echo all is well && '.repeat(5_000)}touch evil`;
    const tools = [call('long', 'Bash', { command }), call('other', 'Bash', { command: `${command}2` })];
    const shown = dialog('permission', `Bash command\n${command.slice(0, 9_000)}\nDo you want to proceed?`);
    const frames = Array.from({ length: 200 }, () => {
      const before = performance.now();
      toolBehind(shown, tools);
      return performance.now() - before;
    });
    // 25 frames a second are read, and the first one reads the inputs. Other load on the machine cannot make the
    // fastest frame slow.
    expect(Math.min(...frames)).toBeLessThan(5);
  });

  test('among equal calls is the one that was requested first', () => {
    const tools = [call('a', 'Bash', { command: 'ls' }), call('b', 'Bash', { command: 'ls' })];
    expect(toolBehind(dialog('permission', 'ls'), tools)?.id).toBe('a');
  });

  test('is none if another call is possible, because the agent chooses its wording', () => {
    const same = 'sh ./deploy.sh staging --with-the-usual-options-of-this-project --and-one-more';
    const worse = call('worse', 'Bash', { command: `${same}; touch evil` });
    const nice = call('nice', 'Bash', { command: `${same}; echo "nothing else happens in this one of the two"` });
    const shows = (...lines: string[]) => dialog('permission', ['Bash command · 1 of 2', ...lines].join('\n'));
    const shown = (...lines: string[]) => toolBehind(shows(...lines), [worse, nice])?.id;
    // If only the beginning counted, the longer call would show more of itself than the shorter one.
    expect(shown('Deploy', `│ ${same}; touch evil`)).toBe('worse');
    expect(shown('Deploy', `│ ${same}; touch`, '│ evil')).toBe('worse');
    expect(shown('Deploy', `│ ${same}; echo "nothing else happens`, '│ in this one of the two"')).toBe('nice');
    // The description contains the command of the other call. The second call's own command is drawn differently from
    // how it is written.
    const described = call('described', 'Bash', { command: 'touch evil', description: `Run ${nice.input.command}` });
    const unseen = call('unseen', 'Bash', { command: 'touch evi\u200bl', description: 'Deploy' });
    const withNice = shows(`│ ${nice.input.command}`);
    expect(toolBehind(shows('Run', nice.input.command, '│ touch evil'), [described, nice])).toBeNull();
    expect(toolBehind(withNice, [unseen, nice])).toBeNull();
    expect(toolBehind(withNice, [worse, nice])?.id).toBe('nice');
    // The two differ only by a blank, which a window does not show at the end of a line.
    const blank = call('blank', 'Bash', { command: 'rm -r ~ /build' });
    const none = call('none', 'Bash', { command: 'rm -r ~/build' });
    expect(toolBehind(shows('│ rm -r ~ /build'), [none, blank])).toBeNull();
  });
});
