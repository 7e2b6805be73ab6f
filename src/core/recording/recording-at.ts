import type { KeptRecording } from '../../protocol/index.ts';

/**
 * Returns the recording that was being made at a given moment: one that a restart has since moved aside, or null for
 * the current one.
 * @param kept the recordings that restarts moved aside, in any order
 * @param at the moment, in Unix milliseconds
 */
export function recordingAt(kept: readonly KeptRecording[], at: number): KeptRecording | null {
  const began = ({ started_at: started }: KeptRecording): number => (started === null ? 0 : Date.parse(started));
  const running = kept.filter((one) => began(one) <= at && at <= Date.parse(one.ended_at));
  return running.sort((one, other) => began(other) - began(one))[0] ?? null;
}
