import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../scripts/root.mjs';

/** Rows of the page's tables: the fault, and the tests that hold what CBOS does then. */
const rows = readFileSync(join(ROOT, 'docs/FAULTS.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault |'))
  .map((line) => {
    const cells = line.slice(2, -2).split(' | ');
    const held = cells[2]?.split('<br>').map((part) => {
      const [, file = '', names = ''] = /^`(test\/[\w./-]+\.test\.ts)`: (".+")$/.exec(part) ?? [];
      return { file, names: names.slice(1, -1).split('", "') };
    });
    return { fault: cells[0] ?? '', cells: cells.length, held: held ?? [] };
  });

test('each fault has a row, once', () => {
  const faults = rows.map(({ fault }) => fault);
  expect(faults.length).toBeGreaterThan(40);
  expect(faults.filter((fault, index) => faults.indexOf(fault) !== index)).toEqual([]);
});

test.each(rows)('held by tests that are there: $fault', ({ cells, held }) => {
  expect(cells).toBe(3);
  for (const { file, names } of held) {
    expect(file).not.toBe('');
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    const source = readFileSync(join(ROOT, file), 'utf8');
    // A name stands in quotes where it is the name of a test, so that a mention of it is none.
    const isNamed = (name: string): boolean => ["'", '"', '`'].some((quote) => source.includes(`${quote}${name}`));
    expect(names.filter((name) => !isNamed(name))).toEqual([]);
  }
});
