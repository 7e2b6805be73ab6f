import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bracketChunks, cleanText, encodePaste, guardText, utf8Length } from '../../../src/core/delivery/paste.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';

test('control characters are removed and counted, newlines and tabs stay, CRLF becomes LF', () => {
  expect(cleanText('a\r\nb\rc\n\td')).toEqual({ text: 'a\nb\nc\n\td', removed: 0 });
  expect(cleanText('a\x03b\x00c\x7fd\x9be')).toEqual({ text: 'abcde', removed: 4 });
  expect(cleanText(`evil${END}rm -rf${START}`)).toEqual({ text: 'evilrm -rf', removed: 2 });
  expect(cleanText('x\x9b201~y')).toEqual({ text: 'xy', removed: 1 });
  expect(cleanText('日本 🤷🏽‍♀️ ^C $HOME \\ é')).toEqual({ text: '日本 🤷🏽‍♀️ ^C $HOME \\ é', removed: 0 });
});

test('no text can end its own paste, whatever it contains', () => {
  expect(cleanText('\x1b[20\x1b[201~1~').text).toBe('[201~');
  const piece = fc.constantFrom('\x1b', '[', '\x9b', '20', '1', '0', '~', 'a', '\n', END, START);
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { text } = cleanText(pieces.join(''));
      expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
    }),
  );
});

test('chunks are small, split between graphemes, and together give the text', () => {
  const grapheme = fc.constantFrom('a', '\n', 'é', '日', '🤷🏽‍♀️', '🇩🇪', 'e\u0301', ' ', 'word ');
  fc.assert(
    fc.property(fc.array(grapheme, { maxLength: 1500 }), (graphemes) => {
      const text = graphemes.join('');
      const chunks = bracketChunks(text);
      expect(chunks.join('')).toBe(text);
      const cuts = new Set([...new Intl.Segmenter('und').segment(text)].map(({ index }) => index));
      let at = 0;
      for (const chunk of chunks) {
        expect(utf8Length(chunk)).toBeLessThanOrEqual(700);
        expect(chunk.split('\n').length - 1).toBeLessThanOrEqual(2);
        if (at > 0) expect(cuts.has(at)).toBe(true);
        at += chunk.length;
      }
    }),
    { numRuns: 50 },
  );
});

test('a paste is a single bracket for old versions and for huge texts, and many small ones otherwise', () => {
  const long = 'line\n'.repeat(10);
  expect(encodePaste(long, { chunked: false })).toBe(`${START}${long}${END}`);
  expect(encodePaste('a\nb\nc\nd', { chunked: true })).toBe(`${START}a\nb\nc${END}${START}\nd${END}`);
  const huge = 'x'.repeat(50_001);
  expect(encodePaste(huge, { chunked: true })).toBe(`${START}${huge}${END}`);
  expect(encodePaste('', { chunked: true })).toBe(`${START}${END}`);
});

test('lengths are in UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

test('a text that would be a command, or would swallow its Enter, gets a blank', () => {
  const prompt = (text: string) => guardText(text, { command: false });
  expect(prompt('ends in \\')).toBe('ends in \\ ');
  expect(prompt('look at @src/main')).toBe('look at @src/main ');
  expect(prompt('@a b')).toBe('@a b');
  expect(prompt('explain /status')).toBe('explain /status ');
  expect(prompt('/status')).toBe(' /status ');
  expect(prompt('a/b')).toBe('a/b');
  expect(guardText('/add-dir /tmp', { command: true })).toBe('/add-dir /tmp ');
  expect(prompt('/help me')).toBe(' /help me');
  expect(prompt('!ls')).toBe(' !ls');
  expect(prompt('plain')).toBe('plain');
  expect(guardText('/model opus', { command: true })).toBe('/model opus');
});
