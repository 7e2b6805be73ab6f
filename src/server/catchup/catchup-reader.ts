import { firstLines, type Happened, happenedIn, lastReply } from '../../core/catchup/index.ts';
import { recordingAt } from '../../core/recording/index.ts';
import { readFacts } from '../../platform/recorder/index.ts';
import {
  CatalogueError,
  type Catchup,
  type CatchupReplay,
  type CatchupSession,
  type KeptRecording,
  type Session,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Sessions } from '../sessions.ts';
import type { Checkpoints } from '../turns/checkpoints.ts';

/** How far back a catch-up begins if nobody knows when the person was last present. */
const DAY_MS = 24 * 3_600_000;
/** How long before an event its replay begins, so that the viewer sees the event happen. */
const LEAD_S = 2;
/** How many sessions are read at once. For each session, git runs, and a transcript and a recording are read. */
const AT_ONCE = 4;

/** Reports what the sessions did while their user was away. */
export interface CatchupReader {
  /** @param since the time when the report begins; null for the last time the person was present */
  read(since: string | null): Promise<Catchup>;
}

export interface CatchupOptions {
  sessions: Pick<
    Sessions,
    'list' | 'history' | 'transcript' | 'lastResponse' | 'sessionCosts' | 'historyDays' | 'stream'
  >;
  turns: Pick<Checkpoints, 'list'>;
  clock: Pick<Clock, 'now'>;
  awaySince(): number | null;
  /** returns the older recordings under a name, which were moved aside when the session was restarted */
  older(slug: string): Promise<KeptRecording[]>;
}

export function createCatchupReader(options: CatchupOptions): CatchupReader {
  const { sessions, turns, clock } = options;

  async function catchUp(session: Session, since: number): Promise<CatchupSession | null> {
    const { slug, type, status } = session;
    const happened = happenedIn(sessions.history(slug, new Date(since).toISOString()));
    const asks = status.question !== null && status.question.kind !== 'closing';
    if (happened.length === 0) return null;
    const [reply, changes, replayOf] = await Promise.all([
      replyOf(session, since),
      changesOf(session, since),
      type === 'json' ? () => null : placesIn(slug),
    ]);
    return {
      ...{ session: slug, asks, reply, changes },
      finished: happened.filter(({ kind }) => kind === 'finished').length,
      ...costOf(session, since),
      events: happened.map((one) => ({ ...one, replay: replayOf(one) })),
    };
  }

  async function replyOf({ slug, type }: Session, since: number): Promise<string | null> {
    const text =
      type === 'json'
        ? unlessMissing(() => {
            const { at, text: said } = sessions.lastResponse(slug);
            return Date.parse(at) >= since ? said : null;
          })
        : lastReply((await sessions.transcript(slug, null)).events, since);
    return text === null ? null : firstLines(text);
  }

  async function changesOf(session: Session, since: number): Promise<CatchupSession['changes']> {
    const found = await turns.list(session).catch(ignoreExpected);
    const ended = (found?.turns ?? []).filter(
      ({ kind, ended_at: at }) => kind === 'turn' && at !== null && Date.parse(at) >= since,
    );
    if (ended.length === 0) return null;
    const sum = (of: 'files' | 'added' | 'removed'): number => ended.reduce((total, turn) => total + turn[of], 0);
    return { files: sum('files'), added: sum('added'), removed: sum('removed') };
  }

  function costOf({ slug, type }: Session, since: number): Pick<CatchupSession, 'cost_usd' | 'is_cost_by_day'> {
    if (type === 'json') {
      const spent = unlessMissing(() => sessions.sessionCosts(slug).turns) ?? [];
      const costs = spent.filter(({ at }) => Date.parse(at) >= since).map(({ cost_usd: cost }) => cost);
      return {
        cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
        is_cost_by_day: false,
      };
    }
    const days = sessions.historyDays({ session: slug, since: new Date(since).toISOString() });
    const costs = days.flatMap(({ cost_usd: cost }) => cost ?? []);
    return { cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0), is_cost_by_day: true };
  }

  /** Returns a function that finds an event in a session's recordings. */
  async function placesIn(slug: string): Promise<(event: Happened) => CatchupReplay | null> {
    const older = await options.older(slug);
    const source = unlessMissing(() => sessions.stream(slug).source());
    const facts = source === null ? null : await readFacts(source).catch(ignoreExpected);
    const startedAt = facts?.startedAt ?? null;
    return ({ at }) => {
      const moment = Date.parse(at);
      const kept = recordingAt(older, moment);
      const began = kept === null ? (startedAt === null ? null : startedAt * 1_000) : Date.parse(kept.started_at ?? '');
      // The recording's start time is known only to the second.
      if (began === null || Number.isNaN(began) || moment < began - 1_000) return null;
      const t = Math.max(0, (moment - began) / 1_000 - LEAD_S);
      return { recording: kept?.recording ?? slug, t };
    };
  }

  return {
    read: async (requested) => {
      const away = options.awaySince();
      const since = requested === null ? (away ?? clock.now() - DAY_MS) : Date.parse(requested);
      const waiting = [...sessions.list()];
      const found: CatchupSession[] = [];
      const work = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const one = await catchUp(next, since).catch(ignoreExpected);
          if (one !== null) found.push(one);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return {
        since: new Date(since).toISOString(),
        from: requested !== null ? 'request' : away !== null ? 'away' : 'day',
        sessions: found.sort(
          (one, other) => Number(other.asks) - Number(one.asks) || (lastAt(one) < lastAt(other) ? 1 : -1),
        ),
      };
    },
  };
}

const lastAt = ({ events }: CatchupSession): string => events.at(-1)?.at ?? '';

/**
 * A session may be deleted while its facts are being read. The report is made even if most of the facts are missing.
 */
function ignoreExpected(cause: unknown): null {
  if (cause instanceof CatalogueError) return null;
  throw cause;
}

function unlessMissing<T>(read: () => T): T | null {
  try {
    return read();
  } catch (cause) {
    return ignoreExpected(cause);
  }
}
