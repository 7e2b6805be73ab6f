import type { Sink } from '../protocol/index.ts';
import { formatDuration } from './durations.ts';

/** Says in a few words when a sink sends messages. */
export function sinkRulesText({ after_s: afterS, away_s: awayS, quiet, timezone, answers }: Sink): string {
  return [
    afterS === 0 ? 'at once' : `after ${formatDuration(afterS * 1_000)}`,
    ...(awayS === 0 ? [] : [`away ${formatDuration(awayS * 1_000)}`]),
    ...(quiet === null ? [] : [`quiet ${quiet} ${timezone ?? ''}`.trimEnd()]),
    ...(answers ? ['takes answers'] : []),
  ].join(', ');
}

/** Describes the state of a sink: what is wrong with it, or how many messages it has sent. */
export function sinkStateText({ waiting, sent, fault }: Sink): string {
  const held = waiting === 0 ? '' : `, ${waiting} waiting`;
  return fault === null ? `${sent} sent${held}` : `fault: ${fault}${held}`;
}
