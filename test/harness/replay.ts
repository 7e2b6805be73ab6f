import { readFileSync } from 'node:fs';
import { parseHeader, parseTiming, parseTrailer } from '../../src/core/recording/index.ts';
import type { ScreenFrame } from '../../src/core/status/index.ts';
import { createEmulator } from '../../src/platform/emulator/index.ts';

/** A frame of a recording. `at` is in milliseconds from its start. */
interface ReplayedFrame {
  at: number;
  frame: ScreenFrame;
}

export interface Replay {
  frames: ReplayedFrame[];
  /** length of the recording in milliseconds */
  durationMs: number;
}

/** Plays `BASE.typescript` with `BASE.timing` through a terminal; a frame after every row of the timing. */
export async function replayRecording(base: string): Promise<Replay> {
  const bytes = readFileSync(`${base}.typescript`);
  const timing = parseTiming(readFileSync(`${base}.timing`, 'utf8'));
  const reading = parseHeader(bytes);
  const header = reading.kind === 'header' ? reading.header : { end: 0, cols: null, rows: null };
  const end = parseTrailer(bytes)?.start ?? bytes.length;
  const emulator = createEmulator({
    cols: timing.headers.cols ?? header.cols ?? 80,
    rows: timing.headers.rows ?? header.rows ?? 24,
    scrollback: 0,
  });
  const frames: ReplayedFrame[] = [];
  let seconds = 0;
  let offset = header.end;
  for (const entry of timing.entries) {
    seconds += entry.delay;
    if (entry.kind === 'resize') emulator.resize(entry.cols, entry.rows);
    if (entry.kind === 'output') {
      const chunk = bytes.subarray(offset, Math.min(offset + entry.bytes, end));
      offset += entry.bytes;
      await new Promise<void>((resolve) => emulator.write(chunk, resolve));
    }
    if (entry.kind !== 'other') frames.push({ at: Math.round(seconds * 1_000), frame: emulator.frame() });
  }
  emulator.dispose();
  return { frames, durationMs: Math.round(seconds * 1_000) };
}
