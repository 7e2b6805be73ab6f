import { describe, expect, test } from 'vitest';
import { isMentionable, mentionFiles, safeFileName, typeOfName } from '../../../src/core/files/index.ts';

describe('a stored name', () => {
  test.each([
    ['shot.png', 'shot.png'],
    ['Screenshot 2026-11-20 at 15.04.05.png', 'Screenshot-2026-11-20-at-15.04.05.png'],
    ['/home/me/shot.png', 'shot.png'],
    ['C:\\Users\\me\\shot.PNG', 'shot.PNG'],
    ['../../etc/passwd', 'passwd'],
    ['..', 'file'],
    ['.bashrc', 'file.bashrc'],
    ['', 'file'],
    ['a\0b.txt', 'a-b.txt'],
    ['invoice\u202Egnp.exe', 'invoice-gnp.exe'],
    ['a\nb\tc.log', 'a-b-c.log'],
    ['Müller façade.jpg', 'Muller-facade.jpg'],
    ['скриншот.png', 'file.png'],
    ['-rf.txt', 'rf.txt'],
    ['a#L1-20.ts', 'a-L1-20.ts'],
    ['"quoted" @x.md', 'quoted-x.md'],
    ['$(id);`id`.sh', 'id-id.sh'],
    ['a...b---c.tar.gz', 'a.b-c.tar.gz'],
    ['no ending…', 'no-ending'],
    ['odd.ending with blanks', 'odd.ending-with-blanks'],
  ])('of %j is %j', (given, expected) => {
    expect(safeFileName(given, null)).toBe(expected);
  });

  test('is short and can be mentioned, however long and hostile the given name is', () => {
    const parts = ['x', ' ', '/', '..', '\0', '\u202E', '@', '#', '"', "'", '%', '\u{1F600}', '.', '-', 'é', '\n'];
    for (let seed = 1; seed < 2_000; seed += 1) {
      const given = Array.from({ length: seed % 150 }, (_, at) => parts[(seed * 31 + at * at * 7) % parts.length]).join(
        '',
      );
      const name = safeFileName(given, null);
      expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
      expect(name.length).toBeLessThanOrEqual(71);
      expect(isMentionable(`/home/me/.cbos/files/id/1234abcd-${name}`), name).toBe(true);
    }
  });

  test('takes its ending from the media type if it has none', () => {
    expect(safeFileName('pasted', 'image/png')).toBe('pasted.png');
    expect(safeFileName('', 'text/plain; charset=utf-8')).toBe('file.txt');
    expect(safeFileName('shot.jpg', 'image/png')).toBe('shot.jpg');
    expect(safeFileName('data', 'application/x-unknown')).toBe('data');
  });

  test('tells its type', () => {
    expect(typeOfName('a.PNG')).toBe('image/png');
    expect(typeOfName('a.constructor')).toBe('application/octet-stream');
    expect(typeOfName('Makefile')).toBe('application/octet-stream');
  });
});

describe('a mention', () => {
  test('follows the text, each on its own line', () => {
    expect(mentionFiles('what is wrong here?', ['/f/1-a.png', '/f/2-b.txt'], { isCommand: false })).toBe(
      'what is wrong here?\n\n@/f/1-a.png\n@/f/2-b.txt',
    );
  });

  test('stands alone without a text', () => {
    expect(mentionFiles(' \n', ['/f/1-a.png'], { isCommand: false })).toBe('@/f/1-a.png');
  });

  test('stays on the line of a command, as its argument', () => {
    expect(mentionFiles('/review ', ['/f/1-a.png'], { isCommand: true })).toBe('/review @/f/1-a.png');
  });

  test.each([
    '/home/my user/a.png',
    '/home/a#b/c.png',
    '/home/"x"/c.png',
    'relative.png',
    '/home/me/a.',
    '/a\u202Eb/c.png',
  ])('is not possible for %j', (path) => {
    expect(isMentionable(path)).toBe(false);
  });

  test('is possible below a home with letters of any language', () => {
    expect(isMentionable('/home/josé/.cbos/files/0198-ab/1234abcd-a.png')).toBe(true);
  });
});
