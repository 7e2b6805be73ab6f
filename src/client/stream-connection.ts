import { CatalogueError, STREAM_FRAME_TYPES, type StreamCommand, type StreamFrame } from '../protocol/index.ts';
import { errorFromTransport, parseJson } from './remote-errors.ts';
import { createViewKeeper, type SessionView } from './session-view.ts';
import { type Dispose, type Transport, type TransportSocket, UnreachableError } from './transport.ts';

/** First pause before connecting again; a server that is restarted by hand is back within a second. */
const FIRST_RETRY_MS = 100;
/** Longest pause: what a person notices as "not yet", while an absent server costs nothing. */
const LONGEST_RETRY_MS = 2_000;

export interface StreamListener {
  /**
   * every frame, in order, after the view has taken it in; whoever does not look at the view every time gets them
   * faster
   */
  onFrame?(frame: StreamFrame, view: () => SessionView): void;
  /** the connection broke, or could not be made again yet; it will be tried again */
  onLost?(error: CatalogueError): void;
  /** connected again after a loss */
  onReconnected?(): void;
  /** it ended for good and not by `dispose`: the first connection failed, or nobody was there for too long */
  onEnd?(error: CatalogueError): void;
}

export interface StreamOptions {
  /**
   * recordings to follow: names, or `['*']` for all, also later ones; changes of status come for all sessions anyway
   */
  recordings?: readonly string[];
  /** where each recording goes on; without it a snapshot comes first */
  from?: Readonly<Record<string, number>>;
  /** after which event each JSON session goes on; without it only what happens from then on comes */
  after?: Readonly<Record<string, number>>;
  listener: StreamListener;
  /** calls back once after a time: `setTimeout` behind a disposer */
  startTimer(callback: () => void, delayMs: number): Dispose;
  /** how long a lost server is waited for, in all; forever when left out. The first connection is never tried again. */
  giveUpAfterMs?: number;
}

export interface StreamConnection {
  /** the sessions as last heard, also while the connection is lost */
  view(): SessionView;
  /** Sends a command. While the connection is lost it goes nowhere: false. */
  send(command: StreamCommand): boolean;
  /** Follows further recordings (`['*']` for all), and keeps following after a reconnect. */
  follow(recordings: readonly string[], from?: Readonly<Record<string, number>>): void;
  /** Stops following recordings. */
  unfollow(recordings: readonly string[]): void;
  dispose(): void;
}

/**
 * Listens to `/ws/stream`. A lost connection is made again, and each recording goes on at the offset after the last
 * byte that came, so nothing is missed and nothing comes twice; where the recording was replaced meanwhile, the server
 * says `reset`. The events of a JSON session go on after the last that came, likewise. The whole list comes first after
 * every connect, so the view heals by itself.
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
  const { take, view } = createViewKeeper();
  let socket: TransportSocket | null = null;
  let isOpen = false;
  let wasConnected = false;
  let isDisposed = false;
  let stopTimer: Dispose | null = null;
  /** waited since the connection was lost */
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
    // An error other than "nobody there" (a token that was changed, say) does not heal by waiting.
    if (!wasConnected || isTooLong || error.code !== 'no_server') {
      end(error);
      return;
    }
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
  /** of recordings */
  offsets: Map<string, number>;
  /** of events */
  seqs: Map<string, number>;
}

/** Keeps where each session goes on, under the name it has now. */
function track(frame: StreamFrame, followed: Set<string>, { offsets, seqs }: Places): void {
  switch (frame.type) {
    case 'claude_event':
      seqs.set(frame.session, frame.seq);
      return;
    case 'stream':
      // A frame that was under way when it was unfollowed: an offset kept now would stand for a screen that is
      // forgotten.
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
 * Reads a frame; null for one that this version does not know. The fields are trusted: a newer server may use new words
 * in them.
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
