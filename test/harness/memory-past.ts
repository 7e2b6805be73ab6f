import type {
  DaysQuery,
  Explanation,
  SearchQuery,
  SearchResult,
  Session,
  SessionDay,
  StatusChange,
} from '../../src/protocol/index.ts';
import { HEADER } from './memory-recording.ts';

/** Returns all the evidence that a session in memory has, which is its screen. */
export function explanationOf({ status }: Session): Explanation {
  const { primary, detail, because, since } = status;
  return {
    status,
    at: since,
    claude_version: '2.1.329',
    stuck_threshold_ms: 15_000,
    thresholds: {
      spinner_settle_ms: 250,
      prompt_settle_ms: 200,
      silent_end_ms: 600,
      draw_lag_ms: 1_000,
      stale_screen_ms: 3_000,
    },
    why: 'it is the only source',
    recheck_at: null,
    verdicts: [{ ...because, primary, detail, since, won: true }],
    evidence: {
      process: null,
      hooks: null,
      screen: {
        rule: because.rule,
        since,
        newest_rule: because.rule,
        newest_since: since,
        dialog_seen_at: null,
        changed_at: since,
        progressed_at: since,
        draft: null,
        lines: ['● Read(src/secret.ts)', '', '─'.repeat(40), '❯ ', '─'.repeat(40)],
        cols: 40,
        rows: 5,
        cursor: { row: 3, col: 2 },
        dim_rows: [],
        alert_rows: [],
        ended_rows: [],
        flow: null,
      },
      registry: null,
      json: null,
    },
  };
}

export function historyOf({ state, status }: Session, since: string | null): StatusChange[] {
  const { primary, detail, health, because } = status;
  const changes = [{ at: status.since, primary, detail, state, health, because }];
  return changes.filter((change) => since === null || change.at > since);
}

export function daysOf(sessions: readonly Session[], { since }: DaysQuery): SessionDay[] {
  const days = sessions.map(({ slug, cost_usd }) => ({
    session: slug,
    day: '2026-11-20',
    worked_ms: 3_723_000,
    waited_ms: 60_000,
    stuck_ms: 0,
    idle_ms: 5_000,
    error_ms: 0,
    cost_usd,
  }));
  return days.filter(({ day }) => since === undefined || day >= since.slice(0, 10));
}

/** Returns a hit for each session whose last question contains the text, because nothing is indexed here. */
export function hitsIn(sessions: readonly Session[], { q, kind, limit = 20 }: SearchQuery): SearchResult['hits'] {
  const hits = sessions.flatMap(({ slug, last_question: text }) => {
    const from = text?.indexOf(q) ?? -1;
    if (text === null || from === -1 || (kind !== undefined && kind !== 'screen')) return [];
    const highlights: [number, number][] = [[from, from + q.length]];
    const at = '2026-11-20T15:04:05.000Z';
    return [
      {
        session: slug,
        at,
        kind: 'screen' as const,
        snippet: text,
        highlights,
        offset: HEADER.length,
        recording: slug,
        t: 62.5,
        seq: null,
      },
    ];
  });
  return hits.slice(0, limit);
}
