import { expect, test } from 'vitest';
import { createKeyReader, type InputEvent } from '../../src/tui/terminal/keys.ts';

function reader() {
  const events: InputEvent[] = [];
  let due: (() => void) | null = null;
  const keys = createKeyReader({
    onEvent: (event) => void events.push(event),
    startTimer(callback) {
      due = callback;
      return () => {
        due = null;
      };
    },
  });
  const names = (): string[] => events.map((event) => (event.kind === 'key' ? event.name : JSON.stringify(event)));
  return { keys, events, names, pass: () => due?.() };
}

test.each([
  ['letters, wide ones too', 'a漢🙂', ['a', '漢', '🙂']],
  [
    'control keys',
    '\u0013\u0011\r\n\t\u007f\u0003',
    ['ctrl+s', 'ctrl+q', 'enter', 'ctrl+j', 'tab', 'backspace', 'ctrl+c'],
  ],
  ['arrows in both modes', '\u001b[A\u001bOB\u001b[1;5C', ['up', 'down', 'ctrl+right']],
  ['keys by number', '\u001b[5~\u001b[6~\u001b[3~\u001b[1~', ['pageup', 'pagedown', 'delete', 'home']],
  ['Alt', '\u001b\r\u001bb\u001b\u007f', ['alt+enter', 'alt+b', 'alt+backspace']],
  [
    'Shift+Enter in terminals that report it',
    '\u001b[13;2u\u001b[27;2;13~\u001b[Z',
    ['shift+enter', 'shift+enter', 'shift+tab'],
  ],
  ['the focus', '\u001b[I\u001b[O', ['{"kind":"focus","hasFocus":true}', '{"kind":"focus","hasFocus":false}']],
  [
    'clicks and the wheel',
    '\u001b[<0;3;4M\u001b[<0;3;4m\u001b[<64;1;1M\u001b[<65;120;40M',
    [
      '{"kind":"mouse","what":"click","row":3,"col":2}',
      '{"kind":"mouse","what":"wheel-up","row":0,"col":0}',
      '{"kind":"mouse","what":"wheel-down","row":39,"col":119}',
    ],
  ],
  ['input without a meaning here', '\u001b[<2;3;4M\u001b[<0;0;4M\u001b[<0;3M\u001b[?62;c\u001b[24~x', ['x']],
])('reads %s, even if split anywhere', (_, typed, expected) => {
  const whole = reader();
  whole.keys.feed(typed);
  expect(whole.names()).toEqual(expected);
  const bytes = Buffer.from(typed);
  for (let cut = 1; cut < bytes.length; cut++) {
    const parts = reader();
    parts.keys.feed(bytes.subarray(0, cut));
    parts.keys.feed(bytes.subarray(cut));
    expect(parts.names(), `cut at ${cut}`).toEqual(expected);
  }
});

test('an Esc that nothing follows is the key', () => {
  const { keys, names, pass } = reader();
  keys.feed('\u001b');
  expect(names()).toEqual([]);
  pass();
  expect(names()).toEqual(['escape']);
});

test('a paste is one text, whatever keys it contains, even if split anywhere', () => {
  const bytes = Buffer.from('a\u001b[200~one\r\n\u0003\u001b[A zwei\u001b[201~b');
  for (let cut = 1; cut < bytes.length; cut++) {
    const { keys, events, pass } = reader();
    keys.feed(bytes.subarray(0, cut));
    keys.feed(bytes.subarray(cut));
    pass();
    expect(events[1], `cut at ${cut}`).toEqual({ kind: 'paste', text: 'one\r\n\u0003\u001b[A zwei' });
    expect(events).toHaveLength(3);
  }
});
