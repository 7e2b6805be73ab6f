import type { ScheduleReason, ScheduleRun } from '../protocol/index.ts';

const REASONS: Readonly<Record<ScheduleReason, string>> = {
  missed: 'its time had passed',
  overlapping: 'the prompt before still waits',
  paused: 'it was paused',
  refused: 'the session took no text',
};

/** What became of a time of a schedule, in words: `skipped: it was paused`. */
export function runText({ outcome, reason, error }: Pick<ScheduleRun, 'outcome' | 'reason' | 'error'>): string {
  // A newer server may have words that this version does not know.
  const why = error ?? (reason === null ? '' : (REASONS[reason] ?? reason));
  return why === '' ? outcome : `${outcome}: ${why}`;
}
