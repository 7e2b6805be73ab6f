import { localDay } from '../../core/history/index.ts';
import { explain } from '../../core/status/index.ts';
import { findTranscript, readTranscript } from '../../platform/claude/index.ts';
import type { Search } from '../../platform/search/index.ts';
import type { DayStore } from '../../platform/sqlite/day-store.ts';
import type { EventStore } from '../../platform/sqlite/event-store.ts';
import type { HistoryStore } from '../../platform/sqlite/history-store.ts';
import type { TerminalCostStore } from '../../platform/sqlite/terminal-cost-store.ts';
import type {
  DaysQuery,
  Explanation,
  SearchQuery,
  SearchResult,
  SessionDay,
  StatusChange,
  TranscriptPage,
} from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { configDirectoriesOf } from '../session/session-conversation.ts';
import { toTimestamp } from '../session/view.ts';
import type { ListedSessions } from './listed-sessions.ts';

/** How many hits are returned by default: about one screen. */
const DEFAULT_HITS = 20;

/** What is stored about the past of the sessions: history, costs, and searchable text. */
interface Past {
  readonly listed: Pick<ListedSessions, 'all' | 'get'>;
  readonly history: Pick<HistoryStore, 'read'>;
  readonly days: Pick<DayStore, 'read'>;
  readonly events: Pick<EventStore, 'sessionDays'>;
  readonly terminalCosts: Pick<TerminalCostStore, 'read'>;
  readonly search: Pick<Search, 'search'>;
}

const idOf = ({ listed }: Past, slug: string): string => listed.get(slug).actor.record.id;
const slugsById = ({ listed }: Past): Map<string, string> =>
  new Map(listed.all().map(({ actor }) => [actor.record.id, actor.slug]));

/** Returns a session's status, and how it was derived from the evidence. */
export function explainStatus({ status, record, deps: { clock, thresholds } }: SessionActor): Explanation {
  return {
    status: status.view(),
    claude_version: record.claudeVersion,
    ...explain(status.evidence(), clock.now(), thresholds),
  };
}

export function readHistory(past: Past, slug: string, since: string | null): StatusChange[] {
  return past.history.read(idOf(past, slug), since === null ? null : Date.parse(since));
}

export function readDays(past: Past, { session, since }: DaysQuery): SessionDay[] {
  for (const { actor } of past.listed.all()) actor.time.count();
  const id = session === undefined ? null : idOf(past, session);
  const from = since?.includes('T') === true ? localDay(Date.parse(since)) : (since ?? null);
  const slugs = slugsById(past);
  const costs = dollarsByDay([...past.events.sessionDays(id, from), ...past.terminalCosts.read(id, from)]);
  return past.days.read(id, from).flatMap(({ session_id, ...day }) => {
    const slug = slugs.get(session_id);
    if (slug === undefined) return [];
    return [{ session: slug, ...day, cost_usd: costs.get(`${session_id} ${day.day}`) ?? null }];
  });
}

/** Returns the dollars spent, keyed by session and day together. */
function dollarsByDay(rows: readonly { session_id: string; day: string; cost_usd: number }[]): Map<string, number> {
  const costs = new Map<string, number>();
  for (const { session_id, day, cost_usd } of rows) {
    const key = `${session_id} ${day}`;
    costs.set(key, (costs.get(key) ?? 0) + cost_usd);
  }
  return costs;
}

export async function searchSessions(past: Past, { q, session, kind, limit }: SearchQuery): Promise<SearchResult> {
  const { hits, pendingBytes } = await past.search.search({
    query: q,
    session: session === undefined ? null : idOf(past, session),
    kind: kind ?? null,
    limit: limit ?? DEFAULT_HITS,
  });
  const slugs = slugsById(past);
  return {
    // A session that has just been deleted has no name any more.
    hits: hits.flatMap((hit) => {
      const slug = slugs.get(hit.session);
      return slug === undefined ? [] : [{ ...hit, session: slug, at: toTimestamp(hit.at) }];
    }),
    pending_bytes: pendingBytes,
  };
}

/** Returns the messages in the transcript of a session's conversation; empty if there is no transcript yet. */
export async function readConversation(
  { record }: Pick<SessionActor, 'record'>,
  environment: Parameters<typeof configDirectoriesOf>[1],
  after: number | null,
): Promise<TranscriptPage> {
  const { claudeSessionId: sessionId, reported } = record;
  const configDirs = configDirectoriesOf(record, environment);
  const found =
    sessionId === null ? null : await findTranscript({ sessionId, configDirs, reported: reported.transcript });
  const file = found ?? reported.transcript;
  const page = file === null ? { events: [], from: 0, end: 0 } : await readTranscript(file, after);
  return { claude_session_id: sessionId, ...page };
}
