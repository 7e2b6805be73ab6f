import { existsSync } from 'node:fs';
import type { ScreenFrame } from '../../src/core/status/index.ts';
import { createTimeline, DEFAULT_THRESHOLDS, type TimelineEntry } from '../../src/core/status/index.ts';
import { type ReplayEnd, replayRecording } from '../../src/platform/recorder/index.ts';
import type { Detail, Primary } from '../../src/protocol/index.ts';

/** A frame in a recording. `at` is in milliseconds from the start of the recording. */
export interface ReplayedFrame {
  at: number;
  frame: ScreenFrame;
}

export interface Replay extends ReplayEnd {
  frames: ReplayedFrame[];
}

/** Plays `BASE.typescript` with `BASE.timing` through a terminal, and returns a frame after every redraw. */
export async function replay(base: string): Promise<Replay> {
  const frames: ReplayedFrame[] = [];
  const timing = existsSync(`${base}.timing`) ? `${base}.timing` : null;
  const end = await replayRecording({
    typescript: `${base}.typescript`,
    timing,
    cols: null,
    rows: null,
    onFrame: (frame, at) => frames.push({ at, frame }),
  });
  return { ...end, frames };
}

/**
 * Returns the status over the course of a replay from the screen alone, in the same steps as for a live session. It
 * continues for a while after the last byte.
 */
export function timelineOf({ frames, at }: Replay): TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  const timeline = createTimeline({ thresholds: DEFAULT_THRESHOLDS, onChange: (entry) => entries.push(entry) });
  for (const frame of frames) timeline.see(frame.frame, frame.at);
  timeline.runUntil(at + 2_000);
  return entries;
}

/** The status that a program reports at one moment. */
export interface Said {
  primary: Primary | null;
  detail: Detail | null;
  /**
   * whether the program's vocabulary has only single words, so that both an idle session and one that asks are
   * `waiting` or `idle`
   */
  isOneWord?: boolean;
}
