import {
  CatalogueError,
  parseJson,
  STREAM_FRAME_TYPES,
  type StreamCommand,
  type StreamFrame,
} from '../protocol/index.ts';
import { errorFromTransport } from './remote-errors.ts';
import { createViewKeeper, type SessionView } from './session-view.ts';
import { type Dispose, type Transport, type TransportSocket, UnreachableError } from './transport.ts';

/** The first delay before reconnecting. A server that is being restarted is back within a second. */
const FIRST_RETRY_MS = 100;
/**
 * The longest delay before reconnecting. It is short enough for users, and trying to reach a server that is not running
 * costs nothing.
 */
const LONGEST_RETRY_MS = 2_000;

export interface StreamListener {
  /**
   * called for every frame, in order, after the frame was applied to the view; handling frames is faster if the
   * listener does not call `view` every time
   */
  onFrame?(frame: StreamFrame, view: () => SessionView): void;
  /** called when the connection was lost or an attempt to reconnect has failed; the client will try again */
  onLost?(error: CatalogueError): void;
  /** called when a lost connection has been re-established */
  onReconnected?(): void;
  /**
   * called when the client has given up: the first attempt failed, or the server was unreachable for too long; not
   * called after `dispose`
   */
  onEnd?(error: CatalogueError): void;
}

export interface StreamOptions {
  /**
   * the recordings to follow: session names, or `['*']` for all sessions, including later ones; status changes are sent
   * for all sessions in any case
   */
  recordings?: readonly string[];
  /** the offset from which to continue each recording; a recording without an offset begins with a snapshot */
  from?: Readonly<Record<string, number>>;
  /** the event from which to continue each JSON session; a session without one sends only new events */
  after?: Readonly<Record<string, number>>;
  /**
   * also follow the sessions on the other machines in the fleet; `now` returns the time in Unix milliseconds, for the
   * ages of these sessions
   */
  fleet?: { now(): number };
  listener: StreamListener;
  /** calls a function once after a delay, like `setTimeout`, and returns a disposer */
  startTimer(callback: () => void, delayMs: number): Dispose;
  /**
   * how long to keep trying to reach a lost server, or undefined for no limit; if the very first attempt to connect
   * fails, it is never retried
   */
  giveUpAfterMs?: number;
}

export interface StreamConnection {
  /** the sessions as last reported; also available while the connection is lost */
  view(): SessionView;
  /** Sends a command. While the connection is lost, sends nothing and returns false. */
  send(command: StreamCommand): boolean;
  /** Follows additional recordings, or all recordings for `['*']`. They are followed again after a reconnect. */
  follow(recordings: readonly string[], from?: Readonly<Record<string, number>>): void;
  /** Stops following recordings. */
  unfollow(recordings: readonly string[]): void;
  dispose(): void;
}

/**
 * Listens to `/ws/stream`, and reconnects if the connection is lost. Each recording continues at the offset after the
 * last byte received, so no output is missed or repeated. If the recording was replaced in the meantime, the server
 * sends `reset`. Likewise, the events of a JSON session continue after the last one received. After every connect, the
 * server first sends the whole list, which corrects the view.
 */
export function connectStream(
  transport: Transport,
  protocols: readonly string[],
  options: StreamOptions,
): StreamConnection {
  const { listener } = options;
  const followed = createFollowed(options);
  const { take, lose, view } = createViewKeeper(options.fleet?.now);
  let socket: TransportSocket | null = null;
  let isOpen = false;
  let wasConnected = false;
  let isDisposed = false;
  /** whether the server of this connection knows that it may send only what has changed on other machines */
  let takesChanges = false;
  let stopTimer: Dispose | null = null;
  const retries = createRetries(options.giveUpAfterMs);

  const subscribe = (recordings: readonly string[]): void => {
    if (recordings.length > 0)
      sendNow({ type: 'subscribe', sessions: [...recordings], ...followed.places(recordings) });
  };

  const sendNow = (command: StreamCommand): boolean => {
    if (!isOpen || socket === null) return false;
    socket.send(JSON.stringify(command));
    return true;
  };

  const handleMessage = (text: string): void => {
    const frame = readFrame(text);
    if (frame === null) return;
    followed.track(frame);
    // An older server would refuse the field, so it is sent only to a server that announces it.
    if (frame.type === 'fleet' && frame.changes === true && !takesChanges) {
      takesChanges = sendNow({ type: 'follow_fleet', changes: true });
    }
    take(frame);
    listener.onFrame?.(frame, view);
  };

  const handleClose = (failure: Error | null): void => {
    socket = null;
    isOpen = false;
    if (isDisposed) return;
    const error = closeError(failure);
    // Retrying helps only if the server cannot be reached. It does not help against other errors, such as a changed
    // token.
    const delayMs = wasConnected && error.code === 'no_server' ? retries.nextMs() : null;
    if (delayMs === null) {
      isDisposed = true;
      listener.onEnd?.(error);
      return;
    }
    lose();
    listener.onLost?.(error);
    if (!isDisposed) stopTimer = options.startTimer(connect, delayMs);
  };

  const connect = (): void => {
    socket = transport.connect('/ws/stream', protocols, {
      onOpen() {
        if (isDisposed) return;
        isOpen = true;
        takesChanges = false;
        retries.reset();
        subscribe(followed.recordings());
        if (options.fleet !== undefined) sendNow({ type: 'follow_fleet' });
        const isAgain = wasConnected;
        wasConnected = true;
        if (isAgain) listener.onReconnected?.();
      },
      onMessage(text) {
        if (!isDisposed) handleMessage(text);
      },
      onClose: handleClose,
    });
  };
  connect();

  return {
    view,
    send: sendNow,
    follow(recordings, from = {}) {
      followed.add(recordings, from);
      subscribe(recordings);
    },
    unfollow(recordings) {
      recordings.forEach(followed.remove);
      sendNow({ type: 'unsubscribe', sessions: [...recordings] });
    },
    dispose() {
      isDisposed = true;
      stopTimer?.();
      socket?.close();
    },
  };
}

/** Returns how long to wait before each retry, twice as long each time, or null when it is time to give up. */
function createRetries(giveUpAfterMs = Number.POSITIVE_INFINITY): { nextMs(): number | null; reset(): void } {
  /** the total time spent waiting since the connection was lost */
  let waitedMs = 0;
  let nextMs = FIRST_RETRY_MS;
  return {
    nextMs: () => {
      if (waitedMs >= giveUpAfterMs) return null;
      const delayMs = nextMs;
      nextMs = Math.min(nextMs * 2, LONGEST_RETRY_MS);
      waitedMs += delayMs;
      return delayMs;
    },
    reset: () => {
      waitedMs = 0;
      nextMs = FIRST_RETRY_MS;
    },
  };
}

/** What a client follows, and where each of these sessions must continue, by its current name. */
interface Followed {
  recordings(): string[];
  add(recordings: readonly string[], from: Readonly<Record<string, number>>): void;
  remove(slug: string): void;
  /** returns where to continue these recordings, as the server expects it */
  places(recordings: readonly string[]): { from?: Record<string, number>; after?: Record<string, number> };
  track(frame: StreamFrame): void;
}

function createFollowed(options: Pick<StreamOptions, 'recordings' | 'from' | 'after'>): Followed {
  const followed = new Set(options.recordings ?? []);
  /** the offset at which each recording continues */
  const offsets = new Map(Object.entries(options.from ?? {}));
  /** the number of the last event received from each JSON session */
  const seqs = new Map(Object.entries(options.after ?? {}));
  const remove = (slug: string): void => {
    followed.delete(slug);
    offsets.delete(slug);
    seqs.delete(slug);
  };

  return {
    recordings: () => [...followed],
    add: (recordings, from) => {
      for (const [slug, offset] of Object.entries(from)) offsets.set(slug, offset);
      for (const slug of recordings) followed.add(slug);
    },
    remove,
    places: (recordings) => {
      const isAll = recordings.includes('*');
      const named = (known: ReadonlyMap<string, number>): Record<string, number> =>
        Object.fromEntries([...known].filter(([slug]) => isAll || recordings.includes(slug)));
      const from = named(offsets);
      const after = named(seqs);
      return {
        ...(Object.keys(from).length === 0 ? {} : { from }),
        ...(Object.keys(after).length === 0 ? {} : { after }),
      };
    },
    track: (frame) => {
      switch (frame.type) {
        case 'claude_event':
          seqs.set(frame.session, frame.seq);
          return;
        case 'stream':
          // A frame may arrive after the client has stopped following its session. Storing the offset would be wrong,
          // because it refers to a screen that the client has discarded.
          if (followed.has(frame.session) || followed.has('*')) offsets.set(frame.session, frame.offset);
          return;
        case 'reset':
          offsets.delete(frame.session);
          return;
        case 'session_removed':
          remove(frame.session);
          return;
        case 'session_renamed':
          for (const places of [offsets, seqs]) {
            const place = places.get(frame.session);
            places.delete(frame.session);
            if (place !== undefined) places.set(frame.slug, place);
          }
          if (followed.delete(frame.session)) followed.add(frame.slug);
          return;
        default:
          return;
      }
    },
  };
}

const FRAME_TYPES: ReadonlySet<string> = new Set(STREAM_FRAME_TYPES);

/**
 * Parses a frame, or returns null if this version does not know the frame's type. The fields are not validated, because
 * a newer server may use new words in them.
 */
function readFrame(text: string): StreamFrame | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('type' in value)) return null;
  return typeof value.type === 'string' && FRAME_TYPES.has(value.type) ? (value as StreamFrame) : null;
}

function closeError(failure: Error | null): CatalogueError {
  const error = errorFromTransport(failure ?? new UnreachableError('the server closed the connection'));
  return error instanceof CatalogueError ? error : new CatalogueError('no_server', undefined, { cause: error });
}
