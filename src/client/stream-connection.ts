import { CatalogueError, STREAM_FRAME_TYPES, type StreamCommand, type StreamFrame } from '../protocol/index.ts';
import { errorFromTransport, parseJson } from './remote-errors.ts';
import { createViewKeeper, type SessionView } from './session-view.ts';
import { type Dispose, type Transport, type TransportSocket, UnreachableError } from './transport.ts';

/** The first pause before reconnecting. A server that somebody restarts is back within a second. */
const FIRST_RETRY_MS = 100;
/** The longest pause. It is a short wait for a user, and trying to reach an absent server costs nothing. */
const LONGEST_RETRY_MS = 2_000;

export interface StreamListener {
  /**
   * called for every frame, in order, after the view has processed it; frames are handled faster if the listener does
   * not call `view` each time
   */
  onFrame?(frame: StreamFrame, view: () => SessionView): void;
  /** called when the connection has broken, or a reconnect has failed; the client will try again */
  onLost?(error: CatalogueError): void;
  /** called when a lost connection is back */
  onReconnected?(): void;
  /**
   * called when the connection has ended permanently, but not through `dispose`: the first attempt failed, or the
   * server was unreachable for too long
   */
  onEnd?(error: CatalogueError): void;
}

export interface StreamOptions {
  /**
   * recordings to follow: session names, or `['*']` for all, including later ones; status changes are sent for all
   * sessions anyway
   */
  recordings?: readonly string[];
  /** the offset from which each recording continues; without one, a snapshot comes first */
  from?: Readonly<Record<string, number>>;
  /** the event from which each JSON session continues; without one, only new events come */
  after?: Readonly<Record<string, number>>;
  /** also follows the sessions on the other machines in the fleet; `now` returns Unix milliseconds, for their ages */
  fleet?: { now(): number };
  listener: StreamListener;
  /** calls back once after a delay, like `setTimeout`, and returns a disposer */
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** how long to wait for a lost server in total; forever if absent. A first connection that fails is never retried */
  giveUpAfterMs?: number;
}

export interface StreamConnection {
  /** the sessions as last reported, even while the connection is lost */
  view(): SessionView;
  /** Sends a command. Returns false, and sends nothing, while the connection is lost. */
  send(command: StreamCommand): boolean;
  /** Follows additional recordings (`['*']` for all), and follows them again after a reconnect. */
  follow(recordings: readonly string[], from?: Readonly<Record<string, number>>): void;
  /** Stops following recordings. */
  unfollow(recordings: readonly string[]): void;
  dispose(): void;
}

/**
 * Listens to `/ws/stream`, and reconnects if the connection is lost. Each recording continues at the offset after the
 * last byte received, so nothing is missed and nothing comes twice. If the recording was replaced in the meantime, the
 * server sends `reset`. In the same way, the events of a JSON session continue after the last one received. After every
 * connect, the whole list comes first, which corrects the view.
 */
export function connectStream(
  transport: Transport,
  protocols: readonly string[],
  options: StreamOptions,
): StreamConnection {
  const { listener } = options;
  const followed = new Set(options.recordings ?? []);
  const offsets = new Map(Object.entries(options.from ?? {}));
  const seqs = new Map(Object.entries(options.after ?? {}));
  const { take, lose, view } = createViewKeeper(options.fleet?.now);
  let socket: TransportSocket | null = null;
  let isOpen = false;
  let wasConnected = false;
  let isDisposed = false;
  let stopTimer: Dispose | null = null;
  /** total waiting time since the connection was lost */
  let waitedMs = 0;
  let nextRetryMs = FIRST_RETRY_MS;

  const subscribe = (recordings: readonly string[]): void => {
    if (recordings.length === 0) return;
    const isAll = recordings.includes('*');
    const named = (known: ReadonlyMap<string, number>): Record<string, number> =>
      Object.fromEntries([...known].filter(([slug]) => isAll || recordings.includes(slug)));
    const from = named(offsets);
    const after = named(seqs);
    sendNow({
      type: 'subscribe',
      sessions: [...recordings],
      ...(Object.keys(from).length === 0 ? {} : { from }),
      ...(Object.keys(after).length === 0 ? {} : { after }),
    });
  };

  const sendNow = (command: StreamCommand): boolean => {
    if (!isOpen || socket === null) return false;
    socket.send(JSON.stringify(command));
    return true;
  };

  const handleMessage = (text: string): void => {
    const frame = readFrame(text);
    if (frame === null) return;
    track(frame, followed, { offsets, seqs });
    take(frame);
    listener.onFrame?.(frame, view);
  };

  const end = (error: CatalogueError): void => {
    isDisposed = true;
    listener.onEnd?.(error);
  };

  const handleClose = (failure: Error | null): void => {
    socket = null;
    isOpen = false;
    if (isDisposed) return;
    const error = closeError(failure);
    const isTooLong = options.giveUpAfterMs !== undefined && waitedMs >= options.giveUpAfterMs;
    // Waiting helps only if there is no server. It does not help against other errors, such as a changed token.
    if (!wasConnected || isTooLong || error.code !== 'no_server') {
      end(error);
      return;
    }
    lose();
    listener.onLost?.(error);
    if (isDisposed) return;
    const delayMs = nextRetryMs;
    nextRetryMs = Math.min(nextRetryMs * 2, LONGEST_RETRY_MS);
    waitedMs += delayMs;
    stopTimer = options.startTimer(connect, delayMs);
  };

  const connect = (): void => {
    stopTimer = null;
    socket = transport.connect('/ws/stream', protocols, {
      onOpen() {
        if (isDisposed) return;
        isOpen = true;
        waitedMs = 0;
        nextRetryMs = FIRST_RETRY_MS;
        subscribe([...followed]);
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
      for (const [slug, offset] of Object.entries(from)) offsets.set(slug, offset);
      for (const slug of recordings) followed.add(slug);
      subscribe(recordings);
    },
    unfollow(recordings) {
      for (const slug of recordings) {
        followed.delete(slug);
        offsets.delete(slug);
        seqs.delete(slug);
      }
      sendNow({ type: 'unsubscribe', sessions: [...recordings] });
    },
    dispose() {
      isDisposed = true;
      stopTimer?.();
      stopTimer = null;
      socket?.close();
    },
  };
}

interface Places {
  /** the next offset of each recording */
  offsets: Map<string, number>;
  /** the last event of each JSON session */
  seqs: Map<string, number>;
}

/** Records where each session continues, under its current name. */
function track(frame: StreamFrame, followed: Set<string>, { offsets, seqs }: Places): void {
  switch (frame.type) {
    case 'claude_event':
      seqs.set(frame.session, frame.seq);
      return;
    case 'stream':
      // A frame may arrive after its session was unfollowed. An offset stored now would refer to a screen that the
      // client has discarded.
      if (followed.has(frame.session) || followed.has('*')) offsets.set(frame.session, frame.offset);
      return;
    case 'reset':
      offsets.delete(frame.session);
      return;
    case 'session_removed':
      offsets.delete(frame.session);
      seqs.delete(frame.session);
      followed.delete(frame.session);
      return;
    case 'session_renamed': {
      for (const places of [offsets, seqs]) {
        const place = places.get(frame.session);
        places.delete(frame.session);
        if (place !== undefined) places.set(frame.slug, place);
      }
      if (followed.delete(frame.session)) followed.add(frame.slug);
      return;
    }
    default:
      return;
  }
}

const FRAME_TYPES: ReadonlySet<string> = new Set(STREAM_FRAME_TYPES);

/**
 * Reads a frame, or returns null if this version does not know its type. The fields are not checked, because a newer
 * server may use new words in them.
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
