import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexText, matchExpression, parseSearch, snippetOf } from '../../../src/core/search/index.ts';

const expressionOf = (query: string): string => matchExpression(parseSearch(query));

describe('a query', () => {
  test.each([
    ['flaky test', '"flaky" * AND "test" *'],
    ['"no space left" disk', '"no space left" AND "disk" *'],
    ['src/auth/login.ts', '"src auth login ts" *'],
    ['a b2', '"a" AND "b2" *'],
    ['数据', '"数 据"'],
    ['错误E500', '"错 误 E500" *'],
    ['ＡＢＣ', '"ABC" *'],
    ['🚀', '"u1f680"'],
    ['"unclosed quote', '"unclosed quote"'],
    ['NOT a OR b) AND NEAR(c', '"NOT" * AND "a" AND "OR" * AND "b" AND "AND" * AND "NEAR c"'],
    ['words:secret ^x -y +z *', '"words secret" * AND "x" AND "y" AND "z"'],
  ])('%s', (query, expected) => {
    expect(expressionOf(query)).toBe(expected);
  });

  test.each(['', '"', '""', '\u0000', '→ ✗ ── ()', "';--"])('%j has no words and finds nothing', (query) => {
    expect(parseSearch(query)).toEqual([]);
  });

  test('is always quoted words only, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (query) => {
        const terms = expressionOf(query)
          .split(' AND ')
          .filter((term) => term !== '');
        for (const term of terms) expect(term).toMatch(/^"[^"\u0000]+"(?: \*)?$/);
      }),
    );
  });
});

describe('text in the index', () => {
  test('has only its words, with each ideograph separate', () => {
    expect(indexText('│ 运行 npm test ✓ 12ms │')).toBe('运 行 npm test 12ms');
    expect(indexText('한국어 テスト')).toBe('한 국 어 テ ス ト');
  });
});

describe('a snippet', () => {
  const marked = (text: string, query: string): string => {
    const snippet = snippetOf(text, parseSearch(query));
    let out = '';
    let done = 0;
    for (const [from, to] of snippet.highlights) {
      out += `${snippet.text.slice(done, from)}[${snippet.text.slice(from, to)}]`;
      done = to;
    }
    return out + snippet.text.slice(done);
  };

  test('is one line with the words that were found', () => {
    expect(marked('first line\n  the Flaky   test failed', 'flaky test')).toBe('first line the [Flaky] [test] failed');
    expect(marked('tests, testing, contest', 'test')).toBe('[test]s, [test]ing, contest');
    expect(marked('tests, test', '"test"')).toBe('tests, [test]');
    expect(marked('open src/auth/login.ts now', 'auth/login.ts')).toBe('open src/[auth/login.ts] now');
    expect(marked('把数据库迁移到', '数据')).toBe('把[数据]库迁移到');
  });

  test('is cut around the place with the most matches', () => {
    const text = `${'one filler '.repeat(100)}needle in the haystack ${'more filler '.repeat(100)}`;
    const snippet = snippetOf(text, parseSearch('needle haystack'));
    expect(snippet.text).toMatch(/^….*needle in the haystack.*…$/);
    expect(snippet.text.length).toBeLessThanOrEqual(162);
    expect(snippet.highlights.map(([from, to]) => snippet.text.slice(from, to))).toEqual(['needle', 'haystack']);
  });

  test('never fails and marks only within itself, whatever text and query are', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.string({ unit: 'binary', maxLength: 20 }),
        (text, query) => {
          const { text: shown, highlights } = snippetOf(text, parseSearch(query || text.slice(0, 5)));
          for (const [from, to] of highlights) expect(from < to && to <= shown.length).toBe(true);
        },
      ),
    );
  });
});
