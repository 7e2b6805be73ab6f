import { describe, expect, test } from 'vitest';
import { lengthComplaints, longFunctionsIn, mutualPairs, pairComplaints } from '../../scripts/check/house.mjs';

const file = (path: string, ...lines: string[]) => ({ file: path, text: `${lines.join('\n')}\n` });
const filler = (lines: number): string[] => Array.from({ length: lines }, () => '  work();');

describe('folders that import each other', () => {
  const sources = [
    file('src/server/sessions/a.ts', "import { b } from '../json/b.ts';", "import { c } from './c.ts';"),
    file('src/server/json/b.ts', 'import type {', '  A,', "} from '../sessions/a.ts';", "import { d } from '../d.ts';"),
    file('src/server/labels/e.ts', "export { a } from '../sessions/a.ts';"),
    file('src/server/d.ts', "import { b } from './json/b.ts';"),
  ];

  test('are found, also if only types are imported, and files directly in a room belong to no folder', () => {
    expect(mutualPairs(sources)).toEqual(['src/server/json ↔ src/server/sessions']);
  });

  test('are refused', () => {
    expect(pairComplaints([])).toEqual([]);
    expect(pairComplaints(['a ↔ b'])).toEqual([expect.stringContaining('a ↔ b: these folders import each other')]);
  });
});

describe('long functions', () => {
  const sources = [
    file(
      'src/core/long.ts',
      'export function long(): void {',
      ...filler(59),
      '}',
      'export const arrow = () => {',
      ...filler(58),
      '};',
    ),
  ];

  test('are found by name, with their number of lines', () => {
    expect(longFunctionsIn(sources)).toEqual({ 'src/core/long.ts long': 61 });
  });

  test('are refused if they are new or have grown, and a row of the list that is no longer needed is refused, too', () => {
    expect(lengthComplaints({ 'a.ts long': 80 }, { 'a.ts long': 80 })).toEqual([]);
    expect(lengthComplaints({ 'a.ts long': 81 }, { 'a.ts long': 80 })).toEqual([expect.stringContaining('80 is the')]);
    expect(lengthComplaints({ 'a.ts long': 61 }, {})).toEqual([expect.stringContaining('60 is the limit')]);
    expect(lengthComplaints({}, { 'a.ts long': 80 })).toEqual([expect.stringContaining('remove it')]);
  });
});
