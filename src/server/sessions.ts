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
  Finish,
  FleetCosts,
  Fork,
  Invocation,
  Invoke,
  LastResponse,
  Look,
  NewRestoration,
  NewSession,
  NewSnooze,
  NewStashedResponse,
  PullRequest,
  Restoration,
  SearchQuery,
  SearchResult,
  Send,
  Session,
  SessionCosts,
  SessionDay,
  SessionPatch,
  SessionResources,
  SessionType,
  StandingChoices,
  StashedResponse,
  StatusChange,
  StoredEvent,
  TagEdit,
  TranscriptPage,
} from '../protocol/index.ts';

export type Dispose = () => void;

/**
 * An event about sessions, for every face. A changed status is reported as `state`, and any other changed field as
 * `updated`.
 */
export type SessionEvent =
  | { kind: 'added'; session: Session }
  /** `archived`: the session is no longer listed, but still exists */
  | { kind: 'removed'; slug: string; archived?: true }
  | { kind: 'renamed'; from: string; session: Session }
  | { kind: 'state'; session: Session }
  | { kind: 'updated'; session: Session }
  /** the snooze was ended by its rule, not by hand */
  | { kind: 'woken'; session: Session }
  | { kind: 'events'; slug: string; events: readonly StoredEvent[] }
  | { kind: 'resized'; slug: string; cols: number; rows: number };

/**
 * A session's recording as a stream. Offsets are byte positions in the file. `script`'s header line is never part of
 * `onBytes`. The same object exists as long as the session is listed, even across restarts (a restart is a reset).
 */
export interface RecordingStream {
  readonly slug: string;
  /** The recording's file. It changes when the session is renamed or restarted. */
  file(): string;
  /**
   * The recording's files, for a caller that reads more than its end, with the size if the recording itself does not
   * contain one.
   */
  source(): RecordingSource;
  /** Where the output begins: the end of `script`'s header line; 0 for a log that Screen writes. */
  start(): number;
  /** How many bytes have been read into the emulator so far, which is where live bytes continue. */
  end(): number;
  /** Reads the existing output, then keeps reading. Until it resolves, `start` and `end` are meaningless. */
  follow(): Promise<void>;
  /** How often the file has been replaced or truncated. */
  epoch(): number;
  /** The screen as escape codes, in its state after all bytes before `offset`. */
  snapshot(): Promise<{ data: string; offset: number }>;
  /** Called with raw bytes as they arrive; `offset` is the position of the first one. */
  onBytes(listener: (bytes: Uint8Array, offset: number) => void): Dispose;
  onReset(listener: (epoch: number) => void): Dispose;
}

/**
 * Everything that the faces of the server (REST, WebSockets) may request from the sessions. Rejects with a
 * `CatalogueError` for every expected failure.
 */
export interface Sessions {
  /** All listed sessions, in the order in which they were created. */
  list(): Session[];
  /** @throws CatalogueError no_such_session */
  get(slug: string): Session;
  create(request: NewSession): Promise<Session>;
  /**
   * Launches a session that continues a copy of the conversation.
   * @throws CatalogueError already_running, no_such_conversation, not_a_repository, and everything that `create` throws
   */
  fork(slug: string, request: Fork): Promise<Session>;
  adopt(request: Adoption): Promise<Session>;
  patch(slug: string, request: SessionPatch): Promise<Session>;
  restart(slug: string): Promise<Session>;
  /** Records that a person has looked at the session; see `Look`. @throws CatalogueError no_such_session */
  seen(slug: string, look: Look): Session;
  /** @throws CatalogueError no_such_session */
  unseen(slug: string): Session;
  /** @throws CatalogueError no_such_session, session_dead, time_passed */
  snooze(slug: string, request: NewSnooze): Session;
  /** @throws CatalogueError no_such_session */
  unsnooze(slug: string): Session;
  /** @throws CatalogueError no_such_session, invalid_request */
  tag(slug: string, edit: TagEdit): Session;
  /** Removes an ended session from every list. @throws CatalogueError no_such_session, session_alive */
  archive(slug: string): Session;
  /** @throws CatalogueError no_such_session */
  unarchive(slug: string): Session;
  /** Returns the archived sessions, which are in no list. `get` returns them too. */
  archived(): Session[];
  /** @throws CatalogueError already_running, not_adopted */
  convert(slug: string, type: SessionType): Promise<Session>;
  /** Claude Code's conversations on this machine that do not belong to a session. */
  conversations(): Promise<Conversation[]>;
  /**
   * Ends the process of an idle terminal session. The next prompt continues its conversation.
   * @throws CatalogueError not_parkable, no_terminal, not_adopted, session_dead, kill_failed
   */
  park(slug: string): Promise<Session>;
  /** @throws CatalogueError session_dead, session_in_use, no_such_conversation, and everything that a launch throws */
  wake(slug: string): Promise<Session>;
  /** Begins to restore lost sessions, or only returns the plan. @throws CatalogueError no_such_session */
  restore(request: NewRestoration): Promise<Restoration>;
  /** Returns the running restoration, or the last one. */
  restoration(): Promise<Restoration>;
  /**
   * Stops the session and finishes its worktree.
   * @throws CatalogueError no_worktree, session_alive, already_running, kill_failed, and everything that
   * `finishWorktree` throws
   */
  finish(slug: string, request: Finish): Promise<Session>;
  /**
   * Leaves out the set-up of the session's worktree from the next start on.
   * @throws CatalogueError no_worktree, no_set_up
   */
  skipSetUp(slug: string): Promise<Session>;
  /** Stores the pull request of the session's branch with its worktree. @throws CatalogueError no_worktree */
  keepPullRequest(slug: string, request: PullRequest): Session;
  /** Returns the resources that each session is using now. */
  resources(): Promise<SessionResources[]>;
  /** Ends the whole process tree, and verifies that it is gone; the session remains listed. */
  kill(slug: string): Promise<Session>;
  /** Ends the session if it is alive, then removes it from the list. */
  remove(slug: string): Promise<void>;
  send(slug: string, request: Send): Promise<Delivery>;
  broadcast(request: Broadcast): Promise<BroadcastResult[]>;
  answer(slug: string, request: Answer): Promise<void>;
  /** What "always" would allow, for the session and in the project. */
  standing(slug: string): StandingChoices;
  /** Continues a session whose usage limit has ended, once. */
  continueAfterLimit(slug: string): Promise<Delivery>;
  interrupt(slug: string): Promise<void>;
  /** Resumes the queue that an interrupt has paused. */
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
  /** Every session's replies, oldest first, including applied ones. */
  stash(): StashedResponse[];
  /** @throws CatalogueError no_such_session, command_prefix, invalid_request */
  addToStash(request: NewStashedResponse): StashedResponse;
  /** @throws CatalogueError no_such_stash, already_applied, and everything that `send` throws */
  applyStash(id: string): Promise<StashedResponse>;
  /** @throws CatalogueError no_such_stash */
  removeFromStash(id: string): StashedResponse;
  history(slug: string, since: string | null): StatusChange[];
  /**
   * Returns what Claude Code has written to its transcript.
   * @param after where the previous part ended; null for the newest part
   */
  transcript(slug: string, after: number | null): Promise<TranscriptPage>;
  /** @throws CatalogueError no_such_session */
  historyDays(query: DaysQuery): SessionDay[];
  /** @throws CatalogueError no_such_session, search_unavailable */
  search(query: SearchQuery): Promise<SearchResult>;
  /** @throws CatalogueError no_such_session, no_recording */
  stream(slug: string): RecordingStream;
  /** The slugs of the sessions that have a recording. */
  streams(): string[];
  onEvent(listener: (event: SessionEvent) => void): Dispose;
  /** @throws CatalogueError no_such_session */
  turn(slug: string): TurnFacts;
  /**
   * Holds a running session's tools until the returned function is called, for a few seconds at most. Null if nothing
   * can hold them.
   */
  holdTurn(slug: string): Dispose | null;
  /**
   * Runs `work` while no turn is running and no prompt is being typed into the session.
   * @throws CatalogueError already_running while the session is working or asking
   */
  whileQuiet<T>(slug: string, work: () => Promise<T>): Promise<T>;
}

/** The known facts about a session's turn. */
export interface TurnFacts {
  /** the session's id, which renames and restarts do not change */
  id: string;
  /** the last reported prompt and its time in Unix milliseconds */
  prompt: { at: number; text: string } | null;
}
