import { Worker } from 'node:worker_threads';
import { CatalogueError } from '../../protocol/index.ts';
import type { SaidAt } from '../sqlite/search-entries.ts';
import type { IndexMessage, IndexQuestion, IndexReply } from './messages.ts';
import type { IndexAnswer, NumberedEvent, SearchRequest } from './search-index.ts';
import type { RecordingPlace } from './session-recordings.ts';

/**
 * The search index, as the server uses it. A report takes a single message, and all the work is done in another thread.
 * Sessions are identified by their ids.
 */
export interface Search {
  /** removes all other sessions from the index */
  keepOnly(sessions: readonly string[]): void;
  /** sets the recording of the session from now on */
  follow(session: string, place: RecordingPlace): void;
  /** reports that the recording of the session has grown */
  nudge(session: string): void;
  /** reports that a transcript of the session's conversation has grown */
  readTranscript(session: string, file: string): void;
  /** adds prompts and answers that hooks in the session have reported */
  addSaid(session: string, texts: readonly SaidAt[]): void;
  /** Adds events of a JSON session, in order. Events that have already been indexed are skipped. */
  addEvents(session: string, events: readonly NumberedEvent[]): void;
  /**
   * Returns the number of the last event that has been indexed, or 0 if none has. A restarted server continues from
   * there.
   */
  lastEvent(session: string): Promise<number>;
  forget(session: string): void;
  /** @throws CatalogueError search_unavailable */
  search(request: SearchRequest): Promise<IndexAnswer>;
  /** makes V8 collect the garbage of the index's thread */
  collectGarbage(): Promise<void>;
  close(): Promise<void>;
}

export interface SearchThreadOptions {
  /** the script that the thread runs */
  program: string;
  /** the path of the index's database */
  file: string;
  /** returns milliseconds from a clock that never goes back */
  elapsed(): number;
  onFault(message: string): void;
}

/** The heap limit of the thread, in MB. Drawn screens, SQLite's pages, and a slice of work take up a third of it. */
const HEAP_MB = 192;
/** How long to wait before restarting a thread that has ended. If it keeps ending, it is restarted once a minute. */
const RESTART_MS = [1_000, 5_000, 60_000];

/**
 * How often to tell the index that a recording is growing. The index reads the recording a second later, so nothing is
 * missed.
 */
const NUDGE_EVERY_MS = 500;

/**
 * Runs the index in a thread of its own. If the thread ends (because of a damaged index or a lack of memory), searches
 * report that, and the thread is restarted.
 */
export function openSearchThread(options: SearchThreadOptions): Search {
  return new SearchThread(options);
}

class SearchThread implements Search {
  readonly #options: SearchThreadOptions;
  readonly #places = new Map<string, RecordingPlace>();
  readonly #open = new Map<number, { resolve(answer: unknown): void; reject(cause: Error): void }>();
  /** when the growth of a session's recording was last reported */
  readonly #nudged = new Map<string, number>();
  #worker: Worker | null = null;
  #restart: NodeJS.Timeout | undefined;
  #failures = 0;
  #lastId = 0;
  #isClosing = false;

  constructor(options: SearchThreadOptions) {
    this.#options = options;
    this.#start();
  }

  keepOnly(sessions: readonly string[]): void {
    this.#tell({ kind: 'keepOnly', sessions });
  }

  follow(session: string, place: RecordingPlace): void {
    this.#places.set(session, place);
    this.#tell({ kind: 'follow', session, place });
  }

  nudge(session: string): void {
    const now = this.#options.elapsed();
    if (now - (this.#nudged.get(session) ?? Number.NEGATIVE_INFINITY) < NUDGE_EVERY_MS) return;
    this.#nudged.set(session, now);
    this.#tell({ kind: 'nudge', session });
  }

  readTranscript(session: string, file: string): void {
    this.#tell({ kind: 'transcript', session, file });
  }

  addSaid(session: string, texts: readonly SaidAt[]): void {
    if (texts.length > 0) this.#tell({ kind: 'said', session, texts });
  }

  addEvents(session: string, events: readonly NumberedEvent[]): void {
    this.#tell({ kind: 'events', session, events });
  }

  async lastEvent(session: string): Promise<number> {
    return Number(await this.#ask({ kind: 'lastEvent', session }));
  }

  forget(session: string): void {
    this.#places.delete(session);
    this.#nudged.delete(session);
    this.#tell({ kind: 'forget', session });
  }

  async search(request: SearchRequest): Promise<IndexAnswer> {
    return (await this.#ask({ kind: 'search', request })) as IndexAnswer;
  }

  async collectGarbage(): Promise<void> {
    if (this.#worker === null) return;
    // A thread that is just ending has no garbage to collect.
    await this.#ask({ kind: 'collect' }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#restart);
    if (this.#worker === null) return;
    await this.#ask({ kind: 'close' }).catch(() => undefined);
    await this.#worker?.terminate();
  }

  #start(): void {
    const { program, file, onFault } = this.#options;
    const worker = new Worker(program, {
      workerData: { file },
      // The thread needs neither the user's environment nor that of the server.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker = worker;
    worker.on('message', (reply: IndexReply) => {
      if (reply.kind === 'fault') onFault(reply.message);
      else this.#settle(reply);
    });
    worker.on('error', (cause) => onFault(String(cause)));
    worker.on('exit', () => {
      this.#worker = null;
      for (const { reject } of this.#open.values()) reject(new CatalogueError('search_unavailable'));
      this.#open.clear();
      if (!this.#isClosing) this.#startAgain();
    });
    for (const [session, place] of this.#places) this.#tell({ kind: 'follow', session, place });
  }

  #startAgain(): void {
    const wait = RESTART_MS[Math.min(this.#failures, RESTART_MS.length - 1)];
    this.#failures += 1;
    this.#restart = setTimeout(() => this.#start(), wait);
    this.#restart.unref();
  }

  #settle(reply: Exclude<IndexReply, { kind: 'fault' }>): void {
    const waiting = this.#open.get(reply.id);
    this.#open.delete(reply.id);
    if (reply.kind === 'answer') {
      waiting?.resolve(reply.answer);
      return;
    }
    this.#options.onFault(reply.message);
    waiting?.reject(new CatalogueError('search_unavailable'));
  }

  #tell(message: IndexMessage): void {
    this.#worker?.postMessage(message);
  }

  #ask(question: DistributiveOmit<IndexQuestion, 'id'>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#worker === null) {
        reject(new CatalogueError('search_unavailable'));
        return;
      }
      this.#lastId += 1;
      this.#open.set(this.#lastId, { resolve, reject });
      this.#worker.postMessage({ ...question, id: this.#lastId });
    });
  }
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
