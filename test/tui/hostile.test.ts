import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { someSession } from '../harness/some-session.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

const open = (): Promise<Terminal> => openTerminal(server.world, { cols: 100, rows: 30 });

/**
 * The clipboard, a title, a link, a device's string, a question that the terminal answers, and the same with single C1
 * characters.
 */
const ATTACKS = [
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001b]0;evil title\u0007',
  '\u001b]8;;http://evil.example/\u0007link\u001b]8;;\u0007',
  '\u001bP+q544e\u001b\\',
  '\u001b[6n\u001b[c\u001b]11;?\u0007',
  '\u009d52;c;ZXZpbA==\u0007\u0090evil\u009c\u009b31m',
  '\u001b_evil\u001b\\\u001b^evil\u001b\\',
  '\u202eevil\u202c',
].join('text ');

/** Matches everything that the TUI itself writes: cursor moves, clearing, columns, SGR, its modes, and the bell. */
const ALLOWED = /\u001b\[(?:\d+;\d+H|2?[JK]|\d+G|[\d;]*m|\?(?:7|25|1000|1004|1006|1049|2004|2026)[hl])|\u0007/g;

test('output, names and questions of a session reach the terminal only as text', async () => {
  const recording = server.sessions.add('AUTH');
  const { status } = someSession('X');
  await server.sessions.send('AUTH', { text: `sent ${ATTACKS}`, queue: true });
  server.sessions.change('AUTH', {
    path: `/tmp/${ATTACKS}`,
    state: 'waiting',
    status: {
      ...status,
      primary: 'waiting',
      detail: 'permission',
      because: { source: 'hook', rule: 'x', evidence: ATTACKS },
      question: {
        id: 'q1',
        kind: 'permission',
        text: `Do you want ${ATTACKS}`,
        tool: { name: `Bash${ATTACKS}`, input: { command: `ls ${ATTACKS}`, [ATTACKS]: `${ATTACKS}\n${ATTACKS}` } },
        options: [{ key: '1', label: `Yes ${ATTACKS}`, description: ATTACKS, means: 'yes' }],
        multi: false,
        questions: [],
        asked_at: '2026-11-20T15:04:05.123Z',
      },
    },
  });
  const terminal = await open();
  await terminal.until(/asks for permission/, 'the question');
  recording.write(`before ${ATTACKS} after\r\n`);
  await terminal.until(/before .*after/s, 'the output of the session');
  server.sessions.addToStash({ session_slug: 'AUTH', response: `kept ${ATTACKS}`, question: ATTACKS });
  await terminal.keys('S');
  await terminal.until(/Drafts: 1/, 'the drafts');
  await terminal.keys('Escape');
  await terminal.untilGone(/Drafts: 1/, 'the drafts');
  await terminal.keys('s');
  await terminal.until(/↑ before/, 'that there is a history');
  await terminal.keys('Up');
  await terminal.until(/> sent/, 'the text from the history');
  const rest = terminal.written().replace(ALLOWED, '');
  expect(
    [...rest.matchAll(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/g)].map((match) =>
      rest.slice(match.index, match.index + 20),
    ),
  ).toEqual([]);
  expect(await terminal.tmux('display-message', '-p', '#{pane_title}')).not.toContain('evil');
});

test('wide, combining and broken characters stay in their cells', async () => {
  const recording = server.sessions.add('AUTH');
  const terminal = await open();
  await terminal.until(/AUTH/, 'the session');
  recording.write('漢字|\r\ne\u0301a|\r\n👩‍👩‍👧|\r\n');
  recording.write(Uint8Array.of(0xff, 0xc3, 0x28, 0x7c, 0x0d, 0x0a));
  recording.write('\u001b[10;1H🙂漢\u001b[10;5Hx\u001b[11;5Hy\r\nTHE LAST');
  const rows = (await terminal.until(/THE LAST/, 'the last line')).split('\n');
  const row = (text: RegExp): string => rows.find((one) => text.test(one)) ?? '';
  expect(row(/漢字/)).toBe('漢字|');
  expect(row(/e\u0301a/)).toBe('e\u0301a|');
  expect(row(/\ufffd/)).toMatch(/^\ufffd+\(\|$/);
  // Two rows in which the session put the last letter into the same column.
  const at = (letter: string): number => {
    const line = rows.find((one) => one.endsWith(letter) && one.length < 8) ?? '';
    return [...line].reduce(
      (cells, character) => cells + (/\p{Emoji_Presentation}|\p{Script=Han}/u.test(character) ? 2 : 1),
      0,
    );
  };
  expect(at('x')).toBe(at('y'));
});
