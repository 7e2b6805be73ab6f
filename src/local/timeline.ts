import type { TimelineRequest, TimelineResult } from '../cli/local-host.ts';
import {
  createTimeline,
  type ScreenRule,
  type Thresholds,
  type TimelineEntry,
  userObserver,
} from '../core/status/index.ts';
import { replayRecording } from '../platform/recorder/index.ts';
import type { Settings } from '../protocol/index.ts';
import { findRecording } from './find-recording.ts';

/**
 * How long after its last output Claude Code is assumed to exit. It takes about 100 ms (60 to 180 ms, measured from
 * 1.0.128 to 2.1.329). The exact time is unknown, because the recording's closing line only has a resolution of
 * seconds. If the assumed time is slightly late, the last output still counts.
 */
const END_AFTER_OUTPUT_MS = 200;
/**
 * The time to add after the last byte of an unfinished recording. Without it, the last screen would not last long
 * enough to count. What came later is unknown.
 */
const SETTLE_AFTER_END_MS = 2_000;

export interface TimelinePlace {
  /** the directory that contains the recordings */
  settings: Pick<Settings, 'stream_dir'>;
  thresholds: Thresholds;
  /** the user's own status rules */
  rules: readonly ScreenRule[];
  /** the directory to which relative paths refer */
  cwd: string;
}

/**
 * Derives how the status changed over the course of a recording, without a server.
 * @throws CatalogueError no_recording
 */
export async function readTimeline(
  request: TimelineRequest,
  { settings, thresholds, rules, cwd }: TimelinePlace,
): Promise<TimelineResult> {
  const files = findRecording(request, { settings, cwd });
  const entries: TimelineEntry[] = [];
  const timeline = createTimeline({
    thresholds,
    observe: userObserver(rules, thresholds),
    onChange: (entry) => entries.push(entry),
  });
  const { at, ended, timed } = await replayRecording({
    ...files,
    cols: request.cols,
    rows: request.rows,
    onFrame: timeline.see,
  });
  if (ended) timeline.seeEnd(at + END_AFTER_OUTPUT_MS);
  else timeline.runUntil(at + SETTLE_AFTER_END_MS);
  return {
    timed,
    changes: entries.map(({ at: milliseconds, ...change }) => ({ t: timed ? milliseconds / 1_000 : 0, ...change })),
  };
}
