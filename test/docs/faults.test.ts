import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';

/** Returns the rows of a page's tables: the fault, attack or event, and the tests that prove how CBOS handles it. */
function rowsOf(page: string) {
  return readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .filter((line) => /^\| (?!(?:fault|attack|event) \|)/.test(line))
    .map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      const held = cells[2]?.split('<br>').map((part) => {
        const [, file = '', names = ''] = /^`(test\/[\w./-]+\.test\.ts)`: (".+")$/.exec(part) ?? [];
        return { file, names: names.slice(1, -1).split('", "') };
      });
      return { what: cells[0] ?? '', cells: cells.length, held: held ?? [] };
    });
}

describe.each([
  { page: 'docs/FAULTS.md', least: 40 },
  { page: 'docs/SECURITY.md', least: 20 },
  { page: 'docs/reference/from-within.md', least: 12 },
])('$page', ({ page, least }) => {
  const rows = rowsOf(page);

  test('each has one row', () => {
    const all = rows.map(({ what }) => what);
    expect(all.length).toBeGreaterThan(least);
    expect(all.filter((what, index) => all.indexOf(what) !== index)).toEqual([]);
  });

  test.each(rows)('held by tests that exist: $what', ({ cells, held }) => {
    expect(cells).toBe(3);
    for (const { file, names } of held) {
      expect(file).not.toBe('');
      expect(existsSync(join(ROOT, file)), file).toBe(true);
      const source = readFileSync(join(ROOT, file), 'utf8');
      // The name of a test is in quotes. A mention in a comment does not count.
      const isNamed = (name: string): boolean => ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}`));
      expect(names.filter((name) => !isNamed(name))).toEqual([]);
    }
  });
});
