import { readFileSync } from 'node:fs';
import { parseTiming } from '../../src/core/recording/index.ts';
import type { ScreenFrame } from '../../src/core/status/index.ts';
import { createEmulator } from '../../src/platform/emulator/index.ts';

/** A write by the recorded program, or a new window size. `at` is in milliseconds from the start of the recording. */
type Step = { at: number } & ({ kind: 'output'; bytes: Buffer } | { kind: 'resize'; cols: number; rows: number });

export interface CutListener {
  /** whether a write, counted from 0, should be played byte by byte */
  isWanted(step: number): boolean;
  /** after how many pieces of such a write the screen is checked; 1 checks it after every piece */
  every: number;
  /** called with the screen when only part of such a write has arrived */
  onCut(frame: ScreenFrame, at: number, step: number): void;
  /** the screen after each step */
  onStep(frame: ScreenFrame, at: number, step: number): void;
}

/** How many pieces of writes wait in the emulator at once. */
const MOST_QUEUED = 1_000;

/**
 * Plays `BASE.typescript`. The chosen writes are played one byte at a time. If not every byte is checked, each write
 * begins at a different one.
 */
export async function playBytes(base: string, { isWanted, every, onCut, onStep }: CutListener): Promise<void> {
  const { cols, rows } = JSON.parse(readFileSync(`${base}.meta.json`, 'utf8')) as { cols: number; rows: number };
  const emulator = createEmulator({ cols, rows, scrollback: 0 });
  let queued = 0;
  for (const [index, step] of stepsOf(base).entries()) {
    // Called as soon as a piece is drawn. Waiting for each piece would take longer, because the emulator pauses after
    // it.
    const look = (): void => onStep(emulator.frame(), step.at, index);
    const lookWithin = (): void => onCut(emulator.frame(), step.at, index);
    if (step.kind === 'resize') {
      await emulator.flush();
      emulator.resize(step.cols, step.rows);
      look();
    } else if (isWanted(index)) {
      let count = index;
      for (const piece of piecesOf(step.bytes)) {
        emulator.write(piece, count++ % every === 0 ? lookWithin : undefined);
        queued += 1;
      }
      emulator.write(Buffer.alloc(0), look);
    } else emulator.write(step.bytes, look);
    if (queued > MOST_QUEUED) {
      await emulator.flush();
      queued = 0;
    }
  }
  await emulator.flush();
  emulator.dispose();
}

function stepsOf(base: string): Step[] {
  const bytes = readFileSync(`${base}.typescript`);
  let offset = bytes.indexOf('\n') + 1;
  let seconds = 0;
  return parseTiming(readFileSync(`${base}.timing`, 'utf8')).entries.flatMap((entry): Step[] => {
    seconds += entry.delay;
    const at = Math.round(seconds * 1_000);
    if (entry.kind === 'resize') return [{ at, kind: 'resize', cols: entry.cols, rows: entry.rows }];
    if (entry.kind === 'other') return [];
    const from = offset;
    offset += entry.bytes;
    return [{ at, kind: 'output', bytes: bytes.subarray(from, offset) }];
  });
}

const ESCAPE = 0x1b;

/**
 * Returns a write in its smallest pieces: single bytes, and whole escape sequences, because part of a sequence changes
 * nothing on the screen.
 */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    let to = from + 1;
    if (bytes[from] === ESCAPE) {
      const sequence = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/.exec(
        bytes.subarray(from).toString('latin1'),
      );
      to = from + (sequence?.[0].length ?? 1);
    }
    yield bytes.subarray(from, to);
    from = to;
  }
}
