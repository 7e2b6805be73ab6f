import type { RecordingSource } from '../platform/recorder/index.ts';
import type {
  Adoption,
  Answer,
  Broadcast,
  BroadcastResult,
  Buffer,
  Conversation,
  DaysQuery,
  Delivery,
  EventsPage,
  Explanation,
  FleetCosts,
  Invocation,
  Invoke,
  LastResponse,
  NewSession,
  NewStashedResponse,
  SearchQuery,
  SearchResult,
  Send,
  Session,
  SessionCosts,
  SessionDay,
  SessionPatch,
  SessionType,
  StashedResponse,
  StatusChange,
  StoredEvent,
  TranscriptPage,
} from '../protocol/index.ts';

export type Dispose = () => void;

/**
 * What happens to sessions, as every face is told. A changed status arrives as `state`, any other changed field as
 * `updated`.
 */
export type SessionEvent =
  | { kind: 'added'; session: Session }
  | { kind: 'removed'; slug: string }
  | { kind: 'renamed'; from: string; session: Session }
  | { kind: 'state'; session: Session }
  | { kind: 'updated'; session: Session }
  | { kind: 'events'; slug: string; events: readonly StoredEvent[] }
  | { kind: 'resized'; slug: string; cols: number; rows: number };

/**
 * A session's recording as a stream. Offsets are byte positions in the file; `script`'s header line is never part of
 * `onBytes`. The same object lives as long as the session is listed, through restarts (a restart is a reset).
 */
export interface RecordingStream {
  readonly slug: string;
  /** file of the recording; changes with a rename and a restart */
  file(): string;
  /**
   * the recording as its files, for a caller that reads more of it than its end; the size where it does not say one
   * itself
   */
  source(): RecordingSource;
  /** where the output begins: the end of `script`'s header line, 0 for a log that Screen writes */
  start(): number;
  /** how many bytes have been read into the emulator so far: where live bytes go on */
  end(): number;
  /** Reads what is there and goes on reading as it grows; before that resolved, `start` and `end` say nothing. */
  follow(): Promise<void>;
  /** counts how often the file was replaced or truncated */
  epoch(): number;
  /** the screen as escape codes, as it is after the bytes before `offset` */
  snapshot(): Promise<{ data: string; offset: number }>;
  /** raw bytes as they come, `offset` is the position of the first of them */
  onBytes(listener: (bytes: Uint8Array, offset: number) => void): Dispose;
  onReset(listener: (epoch: number) => void): Dispose;
}

/**
 * Everything the faces of the server (REST, WebSockets) may ask of the sessions. Rejects with a `CatalogueError` where
 * something was to be expected.
 */
export interface Sessions {
  /** all listed sessions, in the order they were created */
  list(): Session[];
  /** @throws CatalogueError no_such_session */
  get(slug: string): Session;
  create(request: NewSession): Promise<Session>;
  adopt(request: Adoption): Promise<Session>;
  patch(slug: string, request: SessionPatch): Promise<Session>;
  restart(slug: string): Promise<Session>;
  /** @throws CatalogueError already_running, not_adopted */
  convert(slug: string, type: SessionType): Promise<Session>;
  /** Claude Code's conversations on this machine that no session is */
  conversations(): Promise<Conversation[]>;
  /** ends the whole process tree, proven; the session stays listed */
  kill(slug: string): Promise<Session>;
  /** kills it when it lives, then takes it off the list */
  remove(slug: string): Promise<void>;
  send(slug: string, request: Send): Promise<Delivery>;
  broadcast(request: Broadcast): Promise<BroadcastResult[]>;
  answer(slug: string, request: Answer): Promise<void>;
  interrupt(slug: string): Promise<void>;
  /** Sends what an interrupt has kept back. */
  resumeQueue(slug: string): Session;
  keys(slug: string, keys: string): Promise<void>;
  resize(slug: string, cols: number, rows: number): Promise<Session>;
  buffer(slug: string, options: { lines: number; format: 'text' | 'ansi' | 'html' }): Promise<Buffer>;
  deliveries(slug: string): Delivery[];
  delivery(slug: string, id: string): Delivery;
  changeDelivery(slug: string, id: string, text: string): Promise<Delivery>;
  cancelDelivery(slug: string, id: string): Promise<Delivery>;
  /** @throws CatalogueError no_events, already_running, session_dead, session_in_use */
  invoke(slug: string, request: Invoke): Promise<Invocation>;
  /** @throws CatalogueError no_events */
  events(slug: string, page: { after: number; limit: number }): EventsPage;
  /** @throws CatalogueError no_events, no_response */
  lastResponse(slug: string): LastResponse;
  /** @throws CatalogueError no_events */
  sessionCosts(slug: string): SessionCosts;
  costs(): FleetCosts;
  explain(slug: string): Explanation;
  /** every session's replies, oldest first, applied ones too */
  stash(): StashedResponse[];
  /** @throws CatalogueError no_such_session, command_prefix, invalid_request */
  addToStash(request: NewStashedResponse): StashedResponse;
  /** @throws CatalogueError no_such_stash, already_applied, and what `send` throws */
  applyStash(id: string): Promise<StashedResponse>;
  /** @throws CatalogueError no_such_stash */
  removeFromStash(id: string): StashedResponse;
  history(slug: string, since: string | null): StatusChange[];
  /**
   * What Claude Code has written down of its conversation. @param after where the part before ended; null: the newest
   * part
   */
  transcript(slug: string, after: number | null): Promise<TranscriptPage>;
  /** @throws CatalogueError no_such_session */
  historyDays(query: DaysQuery): SessionDay[];
  /** @throws CatalogueError no_such_session, search_unavailable */
  search(query: SearchQuery): Promise<SearchResult>;
  /** @throws CatalogueError no_such_session, no_recording */
  stream(slug: string): RecordingStream;
  /** slugs of the sessions that have a recording */
  streams(): string[];
  onEvent(listener: (event: SessionEvent) => void): Dispose;
}
