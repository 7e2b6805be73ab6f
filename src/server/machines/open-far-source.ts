import { canBeWatched } from '../../core/machines/index.ts';
import type { Dispose } from '../sessions.ts';
import type { FarSource } from '../stream/other-machines.ts';
import { farEvents } from './far-events.ts';
import { farRecording } from './far-recording.ts';
import type { FarSourceOptions } from './far-source.ts';
import { readScreens } from './read-screens.ts';

/** How often to read the screen of a session that cannot be watched. */
const READ_EVERY_MS = 1_000;

/**
 * Follows a session on another machine. This is the only place that decides how. A machine with an older version cannot
 * be watched. A session that another program started has no recording until it is adopted, so its output is unknown.
 */
export function openFarSource(options: FarSourceOptions): FarSource {
  const { row, version, clock } = options;
  const isOlder = version !== null && !canBeWatched(version);
  const isUnrecorded = row?.type === 'screen' && !row.adopted;
  if (isOlder || isUnrecorded) {
    const again = (read: () => void): Dispose => clock.after(READ_EVERY_MS, read);
    return { of: 'terminal', recording: readScreens({ ...options, again }) };
  }
  if (row?.type === 'json') return { of: 'events', events: farEvents(options) };
  return { of: 'terminal', recording: farRecording(options) };
}
