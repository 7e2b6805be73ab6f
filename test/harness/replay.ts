import { readFileSync } from 'node:fs';
import xterm, { type Terminal } from '@xterm/headless';
import { parseHeader, parseTiming, parseTrailer } from '../../src/core/recording/index.ts';
import type { ScreenFrame } from '../../src/core/status/index.ts';

/** A frame of a recording. `at` is in milliseconds from its start. */
export interface ReplayedFrame {
  at: number;
  frame: ScreenFrame;
}

export interface Replay {
  frames: ReplayedFrame[];
  /** length of the recording in milliseconds */
  durationMs: number;
}

/** What the terminal shows now, as `readScreen` takes it. */
export function frameOf(terminal: Terminal): ScreenFrame {
  const buffer = terminal.buffer.active;
  const lines: string[] = [];
  const dimRows: number[] = [];
  for (let row = 0; row < terminal.rows; row++) {
    const line = buffer.getLine(buffer.viewportY + row);
    const text = line?.translateToString(true) ?? '';
    lines.push(text);
    const start = /^\s*[❯>│ ]*/.exec(text)?.[0].length ?? 0;
    let isDim = text.trim().length > start;
    for (let col = start; isDim && col < text.length; col++) {
      const cell = line?.getCell(col);
      if (cell !== undefined && cell.getChars().trim() !== '' && cell.isDim() === 0) isDim = false;
    }
    if (isDim) dimRows.push(row);
  }
  return {
    lines,
    cursor: { row: buffer.cursorY, col: buffer.cursorX },
    cols: terminal.cols,
    rows: terminal.rows,
    dimRows,
  };
}

/** Plays `BASE.typescript` with `BASE.timing` through a terminal; a frame after every row of the timing. */
export async function replayRecording(base: string): Promise<Replay> {
  const bytes = readFileSync(`${base}.typescript`);
  const timing = parseTiming(readFileSync(`${base}.timing`, 'utf8'));
  const reading = parseHeader(bytes);
  const header = reading.kind === 'header' ? reading.header : { end: 0, cols: null, rows: null };
  const end = parseTrailer(bytes)?.start ?? bytes.length;
  const terminal = new xterm.Terminal({
    cols: timing.headers.cols ?? header.cols ?? 80,
    rows: timing.headers.rows ?? header.rows ?? 24,
    allowProposedApi: true,
    scrollback: 0,
  });
  const frames: ReplayedFrame[] = [];
  let seconds = 0;
  let offset = header.end;
  for (const entry of timing.entries) {
    seconds += entry.delay;
    if (entry.kind === 'resize') terminal.resize(entry.cols, entry.rows);
    if (entry.kind === 'output') {
      const chunk = bytes.subarray(offset, Math.min(offset + entry.bytes, end));
      offset += entry.bytes;
      await new Promise<void>((resolve) => terminal.write(chunk, resolve));
    }
    if (entry.kind !== 'other') frames.push({ at: Math.round(seconds * 1_000), frame: frameOf(terminal) });
  }
  terminal.dispose();
  return { frames, durationMs: Math.round(seconds * 1_000) };
}
