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
  RestartedSession,
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
  /** the snooze has ended because its rule was met, not because a person ended it */
  | { kind: 'woken'; session: Session }
  | { kind: 'events'; slug: string; events: readonly StoredEvent[] }
  | { kind: 'resized'; slug: string; cols: number; rows: number };

/**
 * A session's recording as a stream. Offsets are byte positions in the file. `onBytes` never reports the header line
 * that `script` writes. The object stays the same as long as the session is listed, even across restarts; a restart is
 * reported as a reset.
 */
export interface RecordingStream {
  readonly slug: string;
  /** The path of the recording's file, which changes when the session is renamed or restarted. */
  file(): string;
  /**
   * The recording's files, for callers that read more than the end of the recording. They include the terminal's size
   * if the recording itself does not contain it.
   */
  source(): RecordingSource;
  /**
   * The offset where the output begins: the end of the header line that `script` writes, or 0 for a log written by
   * Screen.
   */
  start(): number;
  /** The offset up to which the emulator has read the recording, and at which live bytes continue. */
  end(): number;
  /**
   * Reads the existing output, then continues to read new output. `start` and `end` are meaningless until the promise
   * resolves.
   */
  follow(): Promise<void>;
  /** How often the file has been replaced or truncated. */
  epoch(): number;
  /** Returns escape codes that draw the screen as it is after all bytes before `offset`. */
  snapshot(): Promise<{ data: string; offset: number }>;
  /**
   * Calls the listener with raw bytes as they arrive; `offset` is the position of the first byte. With `mayWait`, bytes
   * may arrive up to 80 ms later, which saves many reads.
   */
  onBytes(listener: (bytes: Uint8Array, offset: number) => void, how?: { mayWait?: boolean }): Dispose;
  onReset(listener: (epoch: number) => void): Dispose;
}

/** How to restart a session. */
export interface Restart {
  isNewConversation?: boolean;
  /** whether the session may start although another one works in its worktree */
  isSameFolder?: boolean;
  /** whether the session forgets the worktree in which it last worked, if that worktree no longer exists */
  isInStartFolder?: boolean;
}

/**
 * Everything that the server's faces (REST, WebSockets) may request from the sessions. Every expected failure is a
 * `CatalogueError`.
 */
export interface Sessions {
  /** Returns all listed sessions, in order of creation. */
  list(): Session[];
  /** @throws CatalogueError no_such_session */
  get(slug: string): Session;
  create(request: NewSession): Promise<Session>;
  /**
   * Launches a new session that continues a copy of this session's conversation.
   * @throws CatalogueError already_running, no_such_conversation, not_a_repository, and everything that `create` throws
   */
  fork(slug: string, request: Fork): Promise<Session>;
  adopt(request: Adoption): Promise<Session>;
  patch(slug: string, request: SessionPatch): Promise<Session>;
  restart(slug: string, how?: Restart): Promise<RestartedSession>;
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
  /** Returns the archived sessions, which `list` leaves out. `get` also finds archived sessions. */
  archived(): Session[];
  /** @throws CatalogueError already_running, not_adopted */
  convert(slug: string, type: SessionType): Promise<Session>;
  /** Returns Claude Code's conversations on this machine that belong to no session. */
  conversations(): Promise<Conversation[]>;
  /**
   * Ends the process of an idle terminal session. The next prompt starts the process again and continues the
   * conversation.
   * @throws CatalogueError not_parkable, no_terminal, not_adopted, session_dead, kill_failed
   */
  park(slug: string): Promise<Session>;
  /** @throws CatalogueError session_dead, session_in_use, no_such_conversation, and everything that a launch throws */
  wake(slug: string): Promise<Session>;
  /** Begins to restore lost sessions, or only returns the plan. @throws CatalogueError no_such_session */
  restore(request: NewRestoration): Promise<Restoration>;
  /** Returns the restoration that is running, or the most recent one. */
  restoration(): Promise<Restoration>;
  /**
   * Stops the session and finishes its worktree.
   * @throws CatalogueError no_worktree, session_alive, already_running, kill_failed, and everything that
   * `finishWorktree` throws
   */
  finish(slug: string, request: Finish): Promise<Session>;
  /**
   * Skips the set-up of the session's worktree whenever the session starts from now on.
   * @throws CatalogueError no_worktree, no_set_up
   */
  skipSetUp(slug: string): Promise<Session>;
  /** Stores the pull request of the session's branch with its worktree. @throws CatalogueError no_worktree */
  keepPullRequest(slug: string, request: PullRequest): Session;
  /** Returns the resources that each session is using now. */
  resources(): Promise<SessionResources[]>;
  /** Ends the session's whole process tree, and verifies that no process is left. The session remains listed. */
  kill(slug: string): Promise<Session>;
  /** Ends the session if it is alive, then removes it from the list. */
  remove(slug: string): Promise<void>;
  send(slug: string, request: Send): Promise<Delivery>;
  broadcast(request: Broadcast): Promise<BroadcastResult[]>;
  answer(slug: string, request: Answer): Promise<void>;
  /** Returns the id that an open question has now, given any id under which its dialog was shown. */
  questionId(slug: string, id: string): string;
  /** Returns what answering "always" would allow, in this session and in its project. */
  standing(slug: string, questionId: string): StandingChoices;
  /** Continues a session once after its usage limit has reset. */
  continueAfterLimit(slug: string): Promise<Delivery>;
  interrupt(slug: string): Promise<void>;
  /** Resumes the session's queue after an interrupt has paused it. */
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
  lastResponse(slug: string, delivery?: string): LastResponse;
  /** @throws CatalogueError no_events */
  sessionCosts(slug: string): SessionCosts;
  costs(): FleetCosts;
  explain(slug: string): Explanation;
  /** Returns the stashed replies of all sessions, oldest first, including applied ones. */
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
   * @param after the position where the previously returned part ended; null to get the newest part
   */
  transcript(slug: string, after: number | null): Promise<TranscriptPage>;
  /** @throws CatalogueError no_such_session */
  historyDays(query: DaysQuery): SessionDay[];
  /** @throws CatalogueError no_such_session, search_unavailable */
  search(query: SearchQuery): Promise<SearchResult>;
  /** @throws CatalogueError no_such_session, no_recording */
  stream(slug: string): RecordingStream;
  /** Returns the slugs of the sessions that have a recording. */
  streams(): string[];
  onEvent(listener: (event: SessionEvent) => void): Dispose;
  /** @throws CatalogueError no_such_session */
  turn(slug: string): TurnFacts;
  /**
   * Makes the tools of a running session wait until the returned function is called, but for a few seconds at most.
   * Returns null if the tools cannot be made to wait.
   */
  holdTurn(slug: string): Dispose | null;
  /**
   * Runs `work` while no turn is running and no prompt is being typed into the session.
   * @throws CatalogueError already_running while the session is working or asking something
   */
  whileQuiet<T>(slug: string, work: () => Promise<T>): Promise<T>;
}

/** What is known about a session's current turn. */
export interface TurnFacts {
  /** the session's id, which stays the same when the session is renamed or restarted */
  id: string;
  /** the prompt that was reported last, and when it was reported, in Unix milliseconds */
  prompt: { at: number; text: string } | null;
}
