import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  listParts,
  PART_BYTES,
  packedUpTo,
  packPart,
  RecordingPlayer,
  UNPACKED_END_BYTES,
} from '../src/platform/recorder/index.ts';
import type { Figure } from './figures.mjs';

export const about =
  'jumps to random points of a recording of ten hours, real turns of Claude Code repeated, old parts packed';

const SOURCE = 'test/fixtures/recordings/2.1.329/long';
const SECONDS = 10 * 3_600;
const JUMPS = 200;

export async function measure(): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cbos-bench-'));
  try {
    const typescript = writeRecording(directory);
    const size = statSync(typescript).size;
    for (let from = 0; from + PART_BYTES <= size - UNPACKED_END_BYTES; from += PART_BYTES)
      await packPart(typescript, from);
    const packed = packedUpTo(await listParts(typescript));
    const player = await RecordingPlayer.open({
      source: { typescript, timing: join(directory, 'A.timing'), cols: null, rows: null },
      keyframes: join(directory, 'A.keyframes'),
      now: () => Date.now(),
    });
    const began = performance.now();
    await player.grow();
    const indexed = performance.now() - began;
    const { duration } = await player.facts();
    const times: number[] = [];
    for (let jump = 0; jump < JUMPS; jump++) {
      // The jumps are spread evenly over the recording, in an irregular order.
      const at = ((jump * 0.618_034) % 1) * duration;
      const start = performance.now();
      await player.frame({ at });
      times.push(performance.now() - start);
    }
    await player.close();
    times.sort((one, other) => one - other);
    return [
      { name: 'jump, median', value: times[Math.floor(JUMPS * 0.5)] ?? 0, unit: 'ms' },
      { name: 'jump, p99', value: times[Math.floor(JUMPS * 0.99)] ?? 0, unit: 'ms', limit: 100 },
      { name: 'recording', value: size / 1e6, unit: 'MB' },
      { name: 'packed part', value: packed / 1e6, unit: 'MB' },
      { name: 'length', value: duration / 3_600, unit: 'h' },
      { name: 'keyframes made in', value: indexed / 1_000, unit: 's' },
      { name: 'keyframes', value: statSync(join(directory, 'A.keyframes')).size / 1e6, unit: 'MB' },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Writes the source's turns one after another, without a pause, until the time is filled. */
function writeRecording(directory: string): string {
  const bytes = readFileSync(`${SOURCE}.typescript`);
  const headerEnd = bytes.indexOf('\n') + 1;
  const timing = readFileSync(`${SOURCE}.timing`, 'utf8').trimEnd().split('\n');
  const rows = timing.map((row) => row.split(' ').map(Number));
  const sum = (column: number): number => rows.reduce((total, row) => total + (row[column] ?? 0), 0);
  const runs = Math.ceil(SECONDS / sum(0));
  const body = bytes.subarray(headerEnd, headerEnd + sum(1));
  const typescript = join(directory, 'A.typescript');
  writeFileSync(typescript, Buffer.concat([bytes.subarray(0, headerEnd), ...Array.from({ length: runs }, () => body)]));
  writeFileSync(join(directory, 'A.timing'), `${timing.join('\n')}\n`.repeat(runs));
  return typescript;
}
