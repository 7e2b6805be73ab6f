import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchRows, rowText, shownRow } from '../../src/text/patch-rows.ts';
import { styled } from '../../src/text/style.ts';
import { LANGUAGE_NAMES, languageNamed, languageOfFile } from '../../src/text/syntax/languages.ts';
import { colourPatch } from '../../src/text/syntax/patch-colours.ts';
import { dressPieces, slicePieces, terminalPieces } from '../../src/text/syntax/terminal-colours.ts';
import { tokeniseText } from '../../src/text/syntax/tokenise.ts';
import { piecesOf, TOKEN_KINDS } from '../../src/text/syntax/tokens.ts';

/** A clock that stands still, so no test depends on how fast the machine is. */
const stopped = (): number => 0;

/** Returns each piece that is not plain, as `kind:text`. */
function kindsIn(text: string, language: (typeof LANGUAGE_NAMES)[number]): string[] {
  const lines = text.split('\n');
  return tokeniseText(text, language, stopped).flatMap((tokens, at) =>
    piecesOf(lines[at] ?? '', tokens).flatMap((piece) => (piece.kind === null ? [] : [`${piece.kind}:${piece.text}`])),
  );
}

/** Returns the rows of a patch of one file, each with its coloured pieces. */
function colouredRows(patch: string): [row: string, ...pieces: string[]][] {
  const rows = patchRows(patch);
  const colours = colourPatch(rows, stopped);
  return rows.map((row, at) => {
    colours.colour(at);
    const pieces = piecesOf(shownRow(row), colours.tokens(at));
    return [rowText(row), ...pieces.flatMap(({ kind, text }) => (kind === null ? [] : [`${kind}:${text}`]))];
  });
}

function patchOf(name: string, hunk: string, lines: readonly string[]): string {
  return [`diff --git a/${name} b/${name}`, `--- a/${name}`, `+++ b/${name}`, hunk, ...lines, ''].join('\n');
}

/** Returns the lines of a file's hunk, each with its coloured pieces. */
const colouredLines = (name: string, hunk: string, lines: readonly string[]) =>
  colouredRows(patchOf(name, hunk, lines)).slice(4);

describe('the language', () => {
  test.each([
    ['src/a.ts', 'ts'],
    ['src/a.tsx', 'tsx'],
    ['a.test.MJS', 'tsx'],
    ['x/Dockerfile', 'dockerfile'],
    ['Dockerfile.dev', 'dockerfile'],
    ['.bashrc', 'sh'],
    ['Cargo.lock', 'toml'],
    ['a.tar.gz', null],
    ['README.md', null],
    ['go', null],
    ['constructor', null],
    ['a.constructor', null],
    ['.ts/readme', null],
    ['', null],
  ])('of the file %s is %s', (path, language) => {
    expect(languageOfFile(path)).toBe(language);
  });

  test('is also known by the names that follow a code fence', () => {
    expect(['typescript', 'Python', 'js {1,3}', 'c++', 'text', '__proto__'].map(languageNamed)).toEqual([
      'ts',
      'py',
      'tsx',
      'cpp',
      null,
      null,
    ]);
  });
});

describe('the kinds of tokens', () => {
  test.each([
    ['ts', "const a = 'x'; // y", ['keyword:const', 'name:a', "string:'x'", 'comment:// y']],
    ['ts', '/* a\nb */ 1', ['comment:/* a', 'comment:b */', 'number:1']],
    ['ts', '`a\n${b.c}` + 1', ['string:`a', 'string:${', 'property:c', 'string:}`', 'number:1']],
    [
      'tsx',
      'return <p a="b">for {x ? 1 : 2}</p>;',
      ['keyword:return', 'tag:<p', 'attribute:a', 'string:"b"', 'tag:>', 'number:1', 'number:2', 'tag:</p>'],
    ],
    [
      'tsx',
      '<b c={`${d}${e}`} /> / 2',
      ['tag:<b', 'attribute:c', 'string:`${', 'string:}${', 'string:}`', 'tag:/>', 'number:2'],
    ],
    ['tsx', 'a < b && c<string>(1)', ['type:string', 'number:1']],
    [
      'py',
      'def f():\n  """x\n  if\n  """\n  return 1',
      ['keyword:def', 'name:f', 'string:"""x', 'string:  if', 'string:  """', 'keyword:return', 'number:1'],
    ],
    ['sh', 'if [ "$A" ]; then # b', ['keyword:if', 'string:"', 'name:$A', 'string:"', 'keyword:then', 'comment:# b']],
    ['json', '{"a": [1, true]}', ['string:"a"', 'number:1', 'constant:true']],
    ['yaml', 'a: "b" # c', ['constant:a', 'meta:: ', 'string:"b"', 'comment:# c']],
    ['rs', 'fn f() -> u32 { 1 }', ['keyword:fn', 'name:f', 'constant:u32', 'number:1']],
    ['go', 'func f() string { return "a" }', ['keyword:func', 'keyword:string', 'keyword:return', 'string:"a"']],
    ['css', '.a { color: red; }', ['type:.a', 'property:color', 'keyword:red']],
    ['html', '<p class="a">for</p>', ['tag:<p', 'attribute:class', 'string:"a"', 'tag:>', 'tag:</p>']],
    ['diff', '-a\n+b', ['deleted:-a', 'inserted:+b']],
  ] as const)('%s: %s', (language, text, kinds) => {
    expect(kindsIn(text, language)).toEqual(kinds);
  });

  /** What slows parsers down, or makes them nest: marks that open something, and spaces. */
  const HOSTILE = [
    '(',
    '<',
    '<a ',
    '`${',
    '{',
    '"',
    "'",
    '\\',
    '/',
    '/*',
    '<!--',
    '"""',
    '#',
    '$(',
    '<<A',
    ' ',
    '\t',
    '%w(',
    ':',
    '- ',
    '漢',
    '\ud83d',
    'a.',
    '0x',
    '=>',
  ];

  test('of any text in any language are pieces of exactly that text', () => {
    const someText = fc.array(fc.oneof(fc.constantFrom(...HOSTILE, '\n', 'if', 'end'), fc.string({ maxLength: 5 })), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGE_NAMES), someText, (language, parts) => {
        const lines = parts.join('').split('\n');
        const tokens = tokeniseText(lines.join('\n'), language, stopped);
        for (const [at, line] of lines.entries()) {
          const pieces = piecesOf(line, tokens[at] ?? null);
          expect(pieces.map(({ text }) => text).join('')).toBe(line);
          for (const { kind } of pieces) expect(kind === null || TOKEN_KINDS.includes(kind)).toBe(true);
        }
      }),
    );
  });

  test('of a line that is too long, or has a gap of hundreds of spaces, are not looked for; the next line has colours', () => {
    for (const long of [`const a = "${'x'.repeat(1_000_000)}"`, `const a =${' '.repeat(450)}1`]) {
      expect(kindsIn(`const a = 1\n${long}\nconst b = 2`, 'ts')).toEqual([
        ...['keyword:const', 'name:a', 'number:1'],
        ...['keyword:const', 'name:b', 'number:2'],
      ]);
    }
  });

  test.each(LANGUAGE_NAMES)('of lines that are made to be slow are found soon, or not at all: %s', (language) => {
    for (const part of [...HOSTILE, `${' '.repeat(40)}a`, `a${' '.repeat(40)}:`]) {
      const line = part.repeat(Math.floor(500 / part.length));
      const before = process.cpuUsage();
      tokeniseText(`${line}\n${line}`, language, () => performance.now());
      const { user } = process.cpuUsage(before);
      expect(user / 1_000, `${language}: ${JSON.stringify(part)}`).toBeLessThan(1_000);
    }
  });

  test('are not looked for once the time is over, in no other hunk either', () => {
    let at = 0;
    const slow = (): number => (at += 600);
    const rows = patchRows(
      patchOf('a.ts', '@@ -0,0 +1 @@', [
        '+const a = 1',
        '@@ -8,0 +9 @@',
        '+const b = 1',
        '@@ -18,0 +19 @@',
        '+const c = 1',
      ]),
    );
    const colours = colourPatch(rows, slow);
    for (const row of rows.keys()) colours.colour(row);
    expect([...rows.keys()].map((row) => colours.tokens(row))).toEqual(rows.map(() => null));
  });
});

describe('in a patch', () => {
  test('the base and the current file are read separately', () => {
    const lines = ['-const a = `one', '+const a = 1;', ' const b = 2;', '-`;', '+const c = 3;'];
    expect(colouredLines('a.ts', '@@ -1,3 +1,3 @@', lines)).toEqual([
      ['-const a = `one', 'keyword:const', 'name:a', 'string:`one'],
      ['+const a = 1;', 'keyword:const', 'name:a', 'number:1'],
      [' const b = 2;', 'keyword:const', 'name:b', 'number:2'],
      ['-`;', 'string:`'],
      ['+const c = 3;', 'keyword:const', 'name:c', 'number:3'],
    ]);
  });

  test('a comment that begins before the hunk ends where it ends', () => {
    const lines = [' if the old one', '-is gone */', '+is there */', ' int x = 1;'];
    expect(colouredLines('a.c', '@@ -10,3 +10,3 @@', lines)).toEqual([
      [' if the old one', 'comment:if the old one'],
      ['-is gone */', 'comment:is gone */'],
      ['+is there */', 'comment:is there */'],
      [' int x = 1;', 'type:int', 'number:1'],
    ]);
    expect(colouredLines('a.ts', '@@ -10,2 +10,2 @@', ['  * for if', '-  * a', '+  * b'])).toEqual([
      ['  * for if', 'comment: * for if'],
      ['-  * a', 'comment:  * a'],
      ['+  * b', 'comment:  * b'],
    ]);
  });

  test('a pattern for file names is not the end of a comment', () => {
    const lines = colouredLines('a.ts', '@@ -10,2 +10,2 @@', [' const a = 1;', "-x('**/*.ts')", "+x('**/*.js')"]);
    expect(lines[0]).toEqual([' const a = 1;', 'keyword:const', 'name:a', 'number:1']);
  });

  test('a string that may have begun before the hunk does not colour the code after it', () => {
    const lines = colouredLines('a.py', '@@ -10,4 +10,4 @@', [
      ' the end of a text',
      ' """',
      '-x = 1',
      '+x = "2"',
      ' def f():',
      '     pass',
    ]);
    const pieces = lines.flatMap(([, ...own]) => own);
    expect(pieces.filter((piece) => /x = |def f|pass/.test(piece))).toEqual([]);
    // From the first line on, nothing is uncertain.
    expect(colouredLines('a.py', '@@ -0,0 +1,3 @@', ['+"""', '+if', '+the end'])).toEqual([
      ['+"""', 'string:"""'],
      ['+if', 'string:if'],
      ['+the end', 'string:the end'],
    ]);
  });

  test('each hunk and each file starts anew, in its own language; a renamed file has two', () => {
    const patch = [
      patchOf('a.ts', '@@ -0,0 +1,2 @@', ['+/* open', '+for', '@@ -9,0 +12 @@', '+const a = 1']),
      patchOf('b.txt', '@@ -0,0 +1 @@', ['+const b = 1']),
      ['diff --git a/c.py b/c.sh', '--- a/c.py', '+++ b/c.sh', '@@ -1 +1 @@', '-def f', '+fi', ''].join('\n'),
      'diff --git "a/odd\\tc.ts" "b/odd\\tc.ts"\n--- /dev/null\n+++ "b/odd\\tc.ts"\n@@ -0,0 +1 @@\n+const c = 1\n',
    ].join('');
    const rows = colouredRows(patch).filter(([row]) => /^[+-](?![+-])/.test(row));
    expect(rows).toEqual([
      ['+/* open', 'comment:/* open'],
      ['+for', 'comment:for'],
      ['+const a = 1', 'keyword:const', 'name:a', 'number:1'],
      ['+const b = 1'],
      ['-def f', 'keyword:def', 'name:f'],
      ['+fi', 'keyword:fi'],
      ['+const c = 1', 'keyword:const', 'name:c', 'number:1'],
    ]);
  });

  test('only the hunks of the rows that are asked for are read, bit by bit', () => {
    const lines = Array.from({ length: 100 }, (_, at) => `+const a${at} = 1`);
    const rows = patchRows(patchOf('a.ts', '@@ -0,0 +1,100 @@', [...lines, '@@ -9,0 +200 @@', '+const b = 1']));
    const colours = colourPatch(rows, stopped);
    colours.colour(50, () => true);
    expect([colours.isDone(4), colours.isDone(5), colours.isDone(50)]).toEqual([true, false, false]);
    colours.colour(50);
    expect([colours.isDone(50), colours.isDone(51), colours.isDone(105)]).toEqual([true, false, false]);
    // Rows that are no lines of a file have no colours.
    expect([0, 1, 2, 3, 104].every(colours.isDone)).toBe(true);
  });
});

describe('in a terminal', () => {
  const [, , , , row] = patchRows(patchOf('a.ts', '@@ -0,0 +1 @@', ['+\tconst a = "\u001b[2J\u202e"; // c']));
  if (row === undefined) throw new Error('the patch has a line');
  const tokens = tokeniseText(shownRow(row), 'ts', stopped)[0] ?? null;
  const pieces = terminalPieces(row, tokens);

  test('a row keeps its text, its sign keeps the colour of the row, and nothing invisible returns', () => {
    expect(pieces.map(({ text }) => text).join('')).toBe(rowText(row));
    expect(dressPieces(styled, 'green', pieces)).toBe(
      '\u001b[32m+    \u001b[39m\u001b[35mconst\u001b[39m\u001b[32m a = \u001b[39m\u001b[33m"\\u001b[2J\\u202e"\u001b[39m\u001b[32m; \u001b[39m\u001b[32m\u001b[2m// c\u001b[22m\u001b[39m',
    );
    expect(dressPieces((_, text) => text, 'green', pieces)).toBe(rowText(row));
  });

  test('a part of a row has the colours that it has in the row', () => {
    const part = slicePieces(pieces, 5, 12);
    expect(dressPieces(styled, 'green', part)).toBe('\u001b[35mconst\u001b[39m\u001b[32m a\u001b[39m');
  });

  test('no kind of token is green or red, which are the colours of added and removed lines', () => {
    for (const kind of TOKEN_KINDS) {
      const dressed = dressPieces(styled, null, [{ text: 'x', kind }]);
      expect(dressed).not.toMatch(/\u001b\[(?:3[12]|4\d|9\d|10\d)m/);
    }
  });
});
