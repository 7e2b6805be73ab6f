import { basename } from 'node:path';
import { parseSearch, snippetOf, textsOfMessage } from '../../core/search/index.ts';
import { CatalogueError, type SearchHit, type SearchKind } from '../../protocol/index.ts';
import type { SaidAt } from '../sqlite/search-entries.ts';
import type { FoundEntry, SearchStore } from '../sqlite/search-store.ts';
import { RecordingIndexer, SETTLED_MS } from './recording-indexer.ts';
import { fileState, findRecordings, type RecordingPlace } from './session-recordings.ts';
import { indexTranscript } from './transcript-indexer.ts';
import { createWorkQueue, type WorkQueue } from './work-queue.ts';

/**
 * How long to wait before indexing new output. Because of this delay, a redraw is indexed once instead of ten times.
 */
const INDEX_DELAY_MS = 1_000;
/**
 * How many characters of text are kept. Each character takes about 2.5 bytes, including the index. A busy session
 * produces a few million characters per day. The oldest text is deleted first.
 */
const MOST_CHARACTERS = 200_000_000;
/**
 * How many recordings keep their drawn screen, which takes 0.3 MB each. If any other recording grows, its screen is
 * drawn again from near the end.
 */
const MOST_DRAWN = 24;

export interface SearchRequest {
  query: string;
  session: string | null;
  kind: SearchKind | null;
  limit: number;
}

/** A hit, with the session's id, which does not change when the session is renamed. */
export type IndexHit = Omit<SearchHit, 'at'> & { at: number };

export interface IndexAnswer {
  /** the hits, newest first */
  hits: IndexHit[];
  pendingBytes: number;
}

/** An event in a JSON session, which is a message in Claude Code's stream-json format. */
export interface NumberedEvent {
  /** the number of the event, which increases within its session */
  seq: number;
  /** when the event arrived, in Unix milliseconds */
  at: number;
  event: unknown;
}

export interface SearchIndexOptions {
  store: SearchStore;
  /** returns the current time, in Unix milliseconds */
  now(): number;
  /** returns milliseconds from a clock that never goes back */
  elapsed(): number;
  onError(cause: unknown): void;
  /** a different limit for the amount of text, which tests can set */
  mostCharacters?: number;
}

interface IndexedSession {
  scope: number;
  place: RecordingPlace;
  /** the recordings, older ones first and the current one last, or null until they have been determined */
  indexers: RecordingIndexer[] | null;
}

/**
 * Maintains the index of what sessions said and showed, one slice of work at a time. Sessions are identified by their
 * ids. Every report may be repeated, even after a crash, because the position up to which a source has been indexed is
 * stored together with the text that was found in it.
 */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #sessions = new Map<string, IndexedSession>();
  readonly #queue: WorkQueue;
  readonly #forgotten = new Set<string>();
  /** the indexers that keep their drawn screen, most recently used last */
  #drawn: RecordingIndexer[] = [];

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#queue = createWorkQueue(options);
  }

  /** Sets the recording of a session from now on, and indexes its existing content. */
  follow(session: string, place: RecordingPlace): void {
    const known = this.#sessions.get(session);
    if (known === undefined) {
      const scope = this.#options.store.scopeOf(session);
      this.#sessions.set(session, { scope, place, indexers: null });
    } else {
      known.place = place;
      known.indexers = null;
    }
    this.#queue.add(`recordings ${session}`, 0, () => this.#indexRecordings(session));
  }

  /** Records that the recording of a session has grown. */
  nudge(session: string): void {
    if (!this.#sessions.has(session)) return;
    this.#queue.add(`recordings ${session}`, INDEX_DELAY_MS, () => this.#indexRecordings(session));
  }

  /** Records that one of the transcripts of a session has grown. */
  readTranscript(session: string, file: string): void {
    const { store } = this.#options;
    this.#queue.add(`transcript ${session} ${file}`, INDEX_DELAY_MS, async () => {
      if (this.#forgotten.has(session)) return null;
      return (await indexTranscript(store, store.scopeOf(session), file)) ? 0 : null;
    });
  }

  addSaid(session: string, texts: readonly SaidAt[]): void {
    const { store } = this.#options;
    if (this.#forgotten.has(session)) return;
    store.together(() => {
      const scope = store.scopeOf(session);
      for (const text of texts) store.addSaid(scope, text);
    });
  }

  /** Adds events in order. An event that has already been indexed is skipped. */
  addEvents(session: string, events: readonly NumberedEvent[]): void {
    const { store } = this.#options;
    if (this.#forgotten.has(session)) return;
    store.together(() => {
      const scope = store.scopeOf(session);
      let last = store.lastEvent(scope);
      for (const { seq, at, event } of events) {
        if (seq <= last) continue;
        last = seq;
        for (const text of textsOfMessage(event, { results: true })) store.addSaid(scope, { ...text, at, seq });
      }
      store.saveLastEvent(scope, last);
    });
  }

  /** Returns the number of the last event of a JSON session that has been indexed, or 0 if none has. */
  lastEvent(session: string): number {
    const { store } = this.#options;
    return store.lastEvent(store.scopeOf(session));
  }

  /** Permanently removes a session from the index. */
  forget(session: string): void {
    for (const indexer of this.#sessions.get(session)?.indexers ?? []) this.#letGo(indexer);
    this.#sessions.delete(session);
    this.#forgotten.add(session);
    this.#queue.remove((name) => name.split(' ')[1] === session);
    this.#queue.add(`forget ${session}`, 0, async () => (this.#options.store.forget(session) ? 0 : null));
  }

  /** Removes all other sessions, because they were deleted while no one was listening. */
  keepOnly(sessions: readonly string[]): void {
    const kept = new Set(sessions);
    for (const session of this.#options.store.sessions()) if (!kept.has(session)) this.forget(session);
  }

  search({ query, session, kind, limit }: SearchRequest): IndexAnswer {
    const terms = parseSearch(query);
    const found = this.#options.store.search(terms, { session, kind, limit });
    const hits = found.map((entry) => {
      const { text, highlights } = snippetOf(entry.text, terms);
      return { ...hitOf(entry), snippet: text, highlights };
    });
    return { hits, pendingBytes: this.pendingBytes() };
  }

  pendingBytes(): number {
    const indexers = [...this.#sessions.values()].flatMap((session) => session.indexers ?? []);
    return indexers.reduce((sum, indexer) => sum + indexer.pendingBytes(), 0);
  }

  /** Resolves once there is nothing to do until something new arrives. */
  settled(): Promise<void> {
    return this.#queue.empty();
  }

  async close(): Promise<void> {
    await this.#queue.close();
    for (const indexer of this.#drawn) indexer.rest();
    this.#options.store.close();
  }

  async #indexRecordings(session: string): Promise<number | null> {
    const known = this.#sessions.get(session);
    if (known === undefined) return null;
    const { store, now, mostCharacters = MOST_CHARACTERS } = this.#options;
    const state = await fileState(known.place.typescript);
    // The recording of a session that has ended is never read or drawn again.
    if (known.indexers === null && state !== null && store.isDone(known.scope, known.place.typescript, state))
      return null;
    known.indexers ??= await this.#openIndexers(known);
    const [indexer, ...others] = known.indexers;
    if (indexer === undefined) {
      // In this case, nothing has been written to the recording yet.
      known.indexers = null;
      return null;
    }
    this.#use(indexer);
    const outcome = await sliceOf(indexer, now());
    if (store.characters() > mostCharacters) store.dropOldest();
    switch (outcome) {
      case 'more':
        return 0;
      case 'unsettled':
        return SETTLED_MS;
      case 'replaced':
        this.#letGo(indexer);
        known.indexers = null;
        return SETTLED_MS;
      case 'done':
        if (others.length === 0) {
          // If the file has changed in the meantime, the stored state is out of date, and the file is read again.
          if (state !== null) store.saveDone(indexer.recording, state);
          return null;
        }
        store.saveRecording({ ...indexer.recording, finished: true });
        this.#letGo(indexer);
        known.indexers = others;
        return 0;
    }
  }

  /** Reuses the indexers that are already open, because their screen has already been drawn. */
  async #openIndexers({ scope, place }: IndexedSession): Promise<RecordingIndexer[]> {
    const { store } = this.#options;
    const recordings = await findRecordings(store, scope, place);
    return recordings.map((recording) => {
      const open = this.#drawn.find((indexer) => indexer.recording.id === recording.id);
      if (open === undefined) return new RecordingIndexer(store, recording);
      open.movedTo(recording);
      return open;
    });
  }

  #use(indexer: RecordingIndexer): void {
    this.#drawn = [...this.#drawn.filter((other) => other !== indexer), indexer];
    while (this.#drawn.length > MOST_DRAWN) this.#drawn.shift()?.rest();
  }

  #letGo(indexer: RecordingIndexer): void {
    this.#drawn = this.#drawn.filter((other) => other !== indexer);
    indexer.rest();
  }
}

/** Runs a slice. If the file has disappeared in the meantime, it has been renamed or deleted. */
async function sliceOf(indexer: RecordingIndexer, now: number) {
  try {
    return await indexer.slice(now);
  } catch (cause) {
    if (cause instanceof CatalogueError && cause.code === 'no_recording') return 'replaced';
    throw cause;
  }
}

function hitOf({ session, kind, at, seq, place }: FoundEntry): Omit<IndexHit, 'snippet' | 'highlights'> {
  const recording = place === null ? null : basename(place.typescript).replace(/\.typescript$/, '');
  const elapsedMs = place?.elapsedMs ?? null;
  return {
    session,
    kind,
    at,
    seq,
    offset: place?.offset ?? null,
    recording,
    t: elapsedMs === null ? null : elapsedMs / 1_000,
  };
}
