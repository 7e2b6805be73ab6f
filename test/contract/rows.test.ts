import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { replay } from '../harness/replay.ts';
import type { Trace } from './terminal-stage.ts';

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);

const ROWS = JSON.parse(readFileSync(at('stand-in/rows.json'), 'utf8')) as Record<
  string,
  { from: string; rows: string[] }
>;

/** Returns all rows that a recording ever shows. */
async function rowsOf(from: string): Promise<string[]> {
  if (from.startsWith('contract/')) {
    const traces = Object.values(JSON.parse(readFileSync(at(from), 'utf8')) as Record<string, Trace>);
    return traces.flatMap(({ screens }) => Object.values(screens).flat());
  }
  if (from.startsWith('recordings/')) {
    const { frames } = await replay(at(`fixtures/${from}`).pathname);
    return frames.flatMap(({ frame }) => frame.lines);
  }
  return readFileSync(at(`fixtures/${from}`), 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => Object.values((JSON.parse(line) as { rows?: Record<string, string> }).rows ?? {}));
}

/** A row with values matches whatever stood in their place. */
const patternOf = (row: string): RegExp =>
  new RegExp(
    row
      .split(/\{[a-zA-Z]+\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/[\u00a0 ]/g, '[\u00a0 ]'))
      .join('.+'),
  );

test.each(Object.entries(ROWS))(
  'the row "%s" of the stand-in is in the recording that it names',
  async (_, { from, rows }) => {
    const recorded = new Set(await rowsOf(from));
    expect(rows.filter((row) => ![...recorded].some((one) => patternOf(row).test(one)))).toEqual([]);
  },
);
