import { client } from '../connection/fleet.ts';
import type { ReplaySource } from './player.ts';

/**
 * Returns the source from which the player reads a session's recording.
 * @param recording the name of an earlier recording that a restart moved aside, or null for the newest recording
 */
export function recordingSource(slug: string, recording: string | null): ReplaySource {
  const params = { slug };
  const which = recording === null ? {} : { recording };
  return {
    info: () => client.call('replay', { params, query: which }),
    frame: (at) => client.call('replayFrame', { params, query: { ...at, ...which } }),
    output: (from) => client.call('replayOutput', { params, query: { from, ...which } }),
  };
}
