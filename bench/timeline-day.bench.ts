import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Figure } from './figures.mjs';

export const about =
  'cbos timeline over a recording of 24 hours with two active ones: real turns of Claude Code, repeated';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'test', 'fixtures', 'recordings', '2.1.329', 'long');
const ACTIVE_SECONDS = 2 * 3_600;
const DAY_SECONDS = 24 * 3_600;

export async function measure(): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cbos-bench-'));
  try {
    const file = writeDay(directory);
    const startedAt = performance.now();
    const output = execFileSync(process.execPath, [join(ROOT, 'dist', 'cbos.js'), 'timeline', file, '--json'], {
      env: { PATH: process.env.PATH, HOME: directory, CBOS_HOME: directory },
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    return [
      { name: 'the whole day', value: seconds, unit: 's', limit: 60 },
      { name: 'recording', value: statSync(file).size / 1e6, unit: 'MB' },
      { name: 'changes reported', value: output.trimEnd().split('\n').length, unit: '' },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Writes the source's turns one after another until two hours are filled, in blocks with silence between them. */
function writeDay(directory: string): string {
  const bytes = readFileSync(`${SOURCE}.typescript`);
  const headerEnd = bytes.indexOf('\n') + 1;
  const rows = readFileSync(`${SOURCE}.timing`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => row.split(' ').map(Number));
  const sum = (column: number): number => rows.reduce((total, row) => total + (row[column] ?? 0), 0);
  const seconds = sum(0);
  const body = bytes.subarray(headerEnd, headerEnd + sum(1));
  const runs = Math.ceil(ACTIVE_SECONDS / seconds);
  const silence = (DAY_SECONDS - ACTIVE_SECONDS) / runs;
  const timing = Array.from({ length: runs }, () =>
    rows.map(([delay = 0, count = 0], index) => `${(delay + (index === 0 ? silence : 0)).toFixed(6)} ${count}`),
  );
  const file = join(directory, 'day.typescript');
  writeFileSync(file, Buffer.concat([bytes.subarray(0, headerEnd), ...Array.from({ length: runs }, () => body)]));
  writeFileSync(join(directory, 'day.timing'), `${timing.flat().join('\n')}\n`);
  return file;
}
