import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withFault } from '../../scripts/planted/copy.mjs';
import { FAULTS } from '../../scripts/planted/faults.mjs';
import { ROOT } from '../../scripts/root.mjs';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** A page wraps its lines anywhere. */
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ');

test('each planted fault has a name of its own', () => {
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  expect(FAULTS.length).toBeGreaterThanOrEqual(30);
});

describe.each(FAULTS)('the planted fault $name', ({ page, promise, file, text, instead, suites }) => {
  test('breaks a promise that its page still makes', () => {
    expect(unwrapped(read(page))).toContain(unwrapped(promise));
  });

  test('still applies to its source file', () => {
    const source = read(file);
    expect(source.split(text)).toHaveLength(2);
    expect(withFault(source, { text, instead })).not.toBe(source);
  });

  test('names suites that exist', () => {
    expect(suites).not.toEqual([]);
    expect(suites.filter((suite) => !existsSync(join(ROOT, suite)))).toEqual([]);
  });
});
