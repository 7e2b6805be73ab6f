import type { Turn, TurnState } from './turns.ts';

/** A moment from which on the files were as a checkpoint has them. */
export interface CheckpointMoment {
  turn: number;
  state: TurnState;
  /** in Unix milliseconds */
  at: number;
}

/** Which checkpoint has the files of a moment. */
export type CheckpointAt =
  | { kind: 'none' }
  /** the moment is before the oldest checkpoint that is kept */
  | { kind: 'too_early'; oldest: CheckpointMoment }
  | {
      kind: 'found';
      checkpoint: CheckpointMoment;
      /** the turns of which no files are kept, although they may have run between the checkpoint and the moment */
      missing: { from: number; to: number } | null;
    };

type TimedTurn = Pick<Turn, 'number' | 'began_at' | 'ended_at' | 'late_ms'>;

/**
 * Returns the newest checkpoint at or before a moment. While a turn runs, this is its beginning: nobody saved what the
 * files were like halfway through.
 * @param turns the turns whose files are saved, in the order of their numbers
 * @param moment in Unix milliseconds
 */
export function checkpointAt(turns: readonly TimedTurn[], moment: number): CheckpointAt {
  const all = turns.flatMap(checkpointsOf);
  const [oldest] = all;
  if (oldest === undefined) return { kind: 'none' };
  // Where two checkpoints have the same time, the later one counts.
  const newer = (best: CheckpointMoment | null, one: CheckpointMoment): CheckpointMoment | null =>
    one.at <= moment && one.at >= (best?.at ?? Number.NEGATIVE_INFINITY) ? one : best;
  const checkpoint = all.reduce(newer, null);
  if (checkpoint === null) return { kind: 'too_early', oldest };
  return { kind: 'found', checkpoint, missing: missingAfter(turns, checkpoint) };
}

function checkpointsOf({ number: turn, began_at: begin, ended_at: end, late_ms: lateMs }: TimedTurn) {
  const moments: CheckpointMoment[] = [{ turn, state: 'begin', at: Date.parse(begin) + lateMs }];
  if (end !== null) moments.push({ turn, state: 'end', at: Date.parse(end) });
  return moments;
}

/** CBOS deletes the checkpoints of old turns but keeps those of rewinds, so turns between two others may be missing. */
function missingAfter(turns: readonly TimedTurn[], { turn, state }: CheckpointMoment) {
  const next = turns.find(({ number }) => number > turn)?.number ?? turn + 1;
  return state === 'end' && next > turn + 1 ? { from: turn + 1, to: next - 1 } : null;
}
