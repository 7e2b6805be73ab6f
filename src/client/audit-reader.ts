import type { AuditEntry } from '../protocol/index.ts';
import type { Caller } from './caller.ts';
import type { Dispose } from './transport.ts';

/** The number of decisions per page, which is more than fit on a screen. */
export const AUDIT_PAGE = 50;
/**
 * How long to wait after a decision before reading, so that a burst of thousands of decisions leads to only a few
 * reads.
 */
const GATHER_MS = 250;

/** The part of the audit that has been read so far. */
export interface AuditView {
  /** the decisions, newest first and without gaps */
  entries: readonly AuditEntry[];
  /** whether there are older decisions to read */
  hasMore: boolean;
  /** whether the first page has arrived */
  isRead: boolean;
}

export const EMPTY_AUDIT: AuditView = { entries: [], hasMore: false, isRead: false };

/**
 * Adds the page with the newest decisions. If more new decisions were made than a page holds, the decisions known so
 * far are dropped, and are read again when the user scrolls to them.
 * @param page the decisions in the order in which the server sends them, oldest first
 */
export function withNewest(view: AuditView, page: readonly AuditEntry[]): AuditView {
  const newest = [...page].reverse();
  const isAll = page.length < AUDIT_PAGE;
  const known = new Set(view.entries.map(({ id }) => id));
  const isJoined = newest.some(({ id }) => known.has(id));
  if (isAll || !isJoined) return { entries: newest, hasMore: !isAll, isRead: true };
  const oldest = newest.at(-1)?.id ?? 0;
  return { ...view, entries: [...newest, ...view.entries.filter(({ id }) => id < oldest)] };
}

/** Adds the page that precedes the oldest known decision. */
export function withOlder(view: AuditView, page: readonly AuditEntry[]): AuditView {
  const oldest = view.entries.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const older = [...page].reverse().filter(({ id }) => id < oldest);
  return { ...view, entries: [...view.entries, ...older], hasMore: page.length === AUDIT_PAGE };
}

/** Reads the decisions that rules have made, page by page, and reads again after each new decision. */
export interface AuditReader {
  view(): AuditView;
  /** Call this when a decision was made, or when the connection is back. */
  note(): void;
  /** Reads the next older page. If another read is in progress, waits for it to end first. */
  older(): void;
  dispose(): void;
}

export function createAuditReader(options: {
  client: Caller;
  /** the name of one session, or null for all sessions */
  session: string | null;
  startTimer(callback: () => void, delayMs: number): Dispose;
  onChange(): void;
  onError(error: unknown): void;
}): AuditReader {
  const { client, session, startTimer, onChange, onError } = options;
  const filter = { brief: 'true', limit: AUDIT_PAGE, ...(session === null ? {} : { session }) } as const;
  let view = EMPTY_AUDIT;
  let isReading = false;
  let isDue = false;
  let isOlderDue = false;
  let stopTimer: Dispose | null = null;
  let isDisposed = false;

  async function read(work: () => Promise<AuditView>): Promise<void> {
    isReading = true;
    try {
      const read = await work();
      if (isDisposed) return;
      view = read;
      onChange();
    } catch (error) {
      if (!isDisposed) onError(error);
    } finally {
      isReading = false;
      if (isOlderDue) older();
      if (isDue) note();
    }
  }

  const readNewest = (): void => {
    isDue = false;
    void read(async () => {
      const page = await client.call('audit', { query: filter });
      return withNewest(view, page);
    });
  };
  const note = (): void => {
    isDue = true;
    if (isReading || isDisposed) return;
    stopTimer ??= startTimer(() => {
      stopTimer = null;
      if (!isReading) readNewest();
    }, GATHER_MS);
  };
  const older = (): void => {
    isOlderDue = isReading;
    const before = view.entries.at(-1)?.id;
    if (isReading || isDisposed || !view.hasMore || before === undefined) return;
    void read(async () => {
      const page = await client.call('audit', { query: { ...filter, before } });
      return withOlder(view, page);
    });
  };
  readNewest();

  return {
    view: () => view,
    note,
    older,
    dispose: () => {
      isDisposed = true;
      stopTimer?.();
    },
  };
}
