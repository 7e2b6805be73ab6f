import { expect, test } from 'vitest';
import { readMarkdown } from '../../src/web/conversation/markdown-tokens.ts';

const CHARS = 100_000;
const fill = (piece: string): string => piece.repeat(CHARS / piece.length);
const paragraphs = (piece: string): string => `${piece.repeat(4_900 / piece.length)}\n\n`.repeat(CHARS / 5_000);

const BOMBS: Record<string, string> = {
  'emphasis in one paragraph': fill('_a_'),
  'an address that never comes, in one paragraph': `${fill('a.')}@`,
  'addresses in many paragraphs': paragraphs('a.'),
  'emphasis in many paragraphs': paragraphs('_a_'),
  'emphasis that is never closed': paragraphs('**a'),
  'a quote in a quote': `${fill('> ')}a`,
  'a list in a list': `${fill('- ')}a`,
  'a numbered list in a list': `${fill('1. ')}a`,
  'lists that go in, line by line': Array.from({ length: 300 }, (_, level) => `${' '.repeat(level * 2)}- a`).join('\n'),
  'lists that go in as far as they may, again and again': Array.from(
    { length: 2_000 },
    (_, row) => `${' '.repeat((row % 25) * 2)}- a`,
  ).join('\n'),
  'pictures without an end': paragraphs('!['),
  'a table of one row': `${fill('|a')}\n${fill('|-')}`,
};

test.each(Object.entries(BOMBS))('%s takes no longer than a person waits', (_what, text) => {
  const before = process.cpuUsage();
  readMarkdown(text, () => performance.now());
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

test('text within the limits is parsed as usual, other text stays as it was written', () => {
  const [heading, , list] = readMarkdown('# A *b*\n\n- one\n  - two `c`\n', () => 0) ?? [];
  expect([heading, list]).toMatchObject([{ type: 'heading', depth: 1 }, { type: 'list' }]);
  let now = 0;
  const late = readMarkdown('*a*\n\n*b*', () => (now += 150)) ?? [];
  const written = late.flatMap((token) => ('tokens' in token ? (token.tokens ?? []) : []));
  expect(written.map(({ type, raw }) => [type, raw])).toEqual([
    ['em', '*a*'],
    ['text', '*b*'],
  ]);
});
