import type { Client, StreamConnection } from '../client/index.ts';
import { elsewhereOf, isCurrent, type SeenSession, type StreamFrame } from '../protocol/index.ts';
import type { Style } from '../text/style.ts';
import { Conversation } from './conversation.ts';
import { createSessionScreen, type SessionScreen, type Viewport } from './terminal/session-screen.ts';
import { conversationRows } from './view/conversation-rows.ts';

export interface Content {
  rows: string[];
  cursor: { row: number; col: number } | null;
  /** how many rows there are above the view if the view is not scrolled back */
  canGoBack: number;
}

/** The content of the selected session, which is the only session that is followed: its screen or its conversation. */
export interface WatchedSession {
  /**
   * Follows only the given session, or none if it is null. Calling this again with the same session has no effect.
   */
  watch(session: SeenSession | null): void;
  /** Discards the content that is shown and requests it again. */
  restart(): void;
  onFrame(frame: StreamFrame): void;
  onReconnected(): void;
  /** the session's content, or null until some has arrived */
  content(viewport: Viewport & { isUnfolded: boolean }): Content | null;
  /**
   * Shows the given terminal session as a conversation, or none if it is null. Calling this again reads what was added
   * since the last call.
   */
  readAsText(slug: string | null): void;
  dispose(): void;
}

export interface WatchOptions {
  client: Client;
  connection(): StreamConnection | null;
  dress: Style;
  /** called when the content has changed */
  onChanged(): void;
  run(work: () => Promise<void>): void;
}

/** The size to assume if a session does not report its size. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };
/**
 * How many bytes to receive before acknowledging them. This is a quarter of what the server sends ahead, so the server
 * never has to wait.
 */
const ACKNOWLEDGE_BYTES = 64 * 1024;
/** The maximum number of events that the server returns per request. */
const EVENTS_PAGE = 1_000;

interface WatchedScreen {
  slug: string;
  type: 'screen';
  screen: SessionScreen;
  ackedTo: number | null;
  hasContent: boolean;
}

interface WatchedEvents {
  slug: string;
  type: 'json';
  conversation: Conversation;
  /** the events that have arrived while earlier ones are being read */
  early: Extract<StreamFrame, { type: 'claude_event' }>[] | null;
}

type Watched = WatchedScreen | WatchedEvents;

/** Reads earlier events. Events that arrive in the meantime are held back, so that all events are added in order. */
async function readEarlier(client: Client, reading: WatchedEvents, isWatched: () => boolean): Promise<void> {
  const { conversation } = reading;
  reading.early ??= [];
  let after: number | null = conversation.last;
  while (after !== null && isWatched()) {
    const page: Awaited<ReturnType<typeof client.call<'events'>>> = await client.call('events', {
      params: { slug: reading.slug },
      query: { after, limit: EVENTS_PAGE },
    });
    for (const { seq, event } of page.events) conversation.add(seq, event);
    after = page.next;
  }
  for (const { seq, event } of reading.early ?? []) conversation.add(seq, event);
  reading.early = null;
}

/** A terminal session, shown as a conversation from Claude Code's transcript. */
interface Read {
  slug: string;
  conversation: Conversation;
  /** identifies the conversation and the end of the part that has been read, or null if nothing has been read */
  known: { id: string | null; end: number } | null;
  isReading: boolean;
}

/** Reads the transcript of the session that is shown as a conversation. */
interface Transcript {
  /** reads a session's transcript, or what was added to it since; null reads none any more */
  read(slug: string | null): void;
  /** returns the conversation of a session if its transcript is being read; null otherwise */
  of(slug: string | undefined): Conversation | null;
}

function createTranscript({ client, run, onChanged }: Pick<WatchOptions, 'client' | 'run' | 'onChanged'>): Transcript {
  let read: Read | null = null;

  const readOn = (reading: Read): void => {
    if (reading.isReading) return;
    reading.isReading = true;
    run(async () => {
      try {
        for (let isMore = true; isMore && read === reading; ) {
          const { known, slug } = reading;
          const query = known === null ? {} : { after: known.end };
          const page = await client.call('transcript', { params: { slug }, query });
          if (read !== reading) return;
          // The session has switched to another conversation, or the file was replaced.
          const isOther = known !== null && (known.id !== page.claude_session_id || page.end < known.end);
          if (isOther) {
            reading.known = null;
            reading.conversation = new Conversation();
            continue;
          }
          for (const { seq, event } of page.events) reading.conversation.add(seq, event);
          reading.known = { id: page.claude_session_id, end: page.end };
          isMore = known !== null && page.end > known.end;
          if (page.events.length > 0) onChanged();
        }
      } finally {
        reading.isReading = false;
      }
    });
  };
  return {
    read: (slug) => {
      if (slug === null) read = null;
      else if (read?.slug !== slug) read = { slug, conversation: new Conversation(), known: null, isReading: false };
      if (read !== null) readOn(read);
    },
    of: (slug) => (read !== null && read.slug === slug ? read.conversation : null),
  };
}

/** A session on another machine that is adopted, or whose machine is updated, is then followed in another way. */
const wayOf = (session: SeenSession): string => {
  const elsewhere = elsewhereOf(session);
  return elsewhere === null ? '' : `${elsewhere.isLive} ${session.adopted}`;
};

/** The server reads the screens of a machine that runs an older version, also those of JSON sessions. */
const typeOf = (session: SeenSession): Watched['type'] =>
  elsewhereOf(session)?.isLive === false ? 'screen' : session.type;

export function createWatchedSession(options: WatchOptions): WatchedSession {
  const { client, connection, onChanged } = options;
  let watched: Watched | null = null;
  let size = DEFAULT_SIZE;
  const transcript = createTranscript(options);
  /** how the session on another machine is followed; empty for a session on this machine */
  let way = '';
  /** whether what is shown may be out of date, because the session's machine cannot be reached */
  let isOld = false;

  const begin = (slug: string, type: Watched['type']): void => {
    if (type === 'json') watched = { slug, type, conversation: new Conversation(), early: [] };
    else watched = { slug, type, screen: createSessionScreen(size), ackedTo: null, hasContent: false };
    if (watched.type === 'json') readEvents(watched);
  };
  const end = (): void => {
    if (watched?.type === 'screen') watched.screen.dispose();
  };
  const readEvents = (reading: WatchedEvents): void =>
    options.run(async () => {
      await readEarlier(client, reading, () => watched === reading);
      onChanged();
    });
  const unfollow = (): void => {
    if (watched !== null) connection()?.unfollow([watched.slug]);
  };
  const show = (slug: string, type: Watched['type']): void => {
    connection()?.follow([slug]);
    begin(slug, type);
  };

  return {
    watch(session) {
      isOld = session !== null && !isCurrent(session);
      if (session !== null) size = { cols: session.cols ?? DEFAULT_SIZE.cols, rows: session.rows ?? DEFAULT_SIZE.rows };
      const type = session === null ? undefined : typeOf(session);
      const nextWay = session === null ? '' : wayOf(session);
      if (session?.slug !== watched?.slug || type !== watched?.type || nextWay !== way) {
        way = nextWay;
        unfollow();
        end();
        watched = null;
        if (session !== null) show(session.slug, typeOf(session));
      } else if (watched?.type === 'screen') watched.screen.resize(size.cols, size.rows);
    },
    restart() {
      if (watched === null) return;
      const { slug, type } = watched;
      unfollow();
      end();
      show(slug, type);
      onChanged();
    },
    onFrame(frame) {
      if (watched === null) return;
      if (frame.type === 'session_renamed' && frame.session === watched.slug) watched.slug = frame.slug;
      if (!('session' in frame) || frame.session !== watched.slug) return;
      if (frame.type === 'reset' && watched.type === 'screen') {
        end();
        begin(watched.slug, 'screen');
      }
      if (frame.type === 'stream' && watched.type === 'screen') {
        const { session, offset } = frame;
        const shown = watched;
        watched.screen.write(frame.data, frame.snapshot === true, () => {
          shown.hasContent = true;
          // Acknowledge the first output immediately, which tells the server that this client acknowledges output.
          if (shown.ackedTo === null || offset - shown.ackedTo >= ACKNOWLEDGE_BYTES) {
            shown.ackedTo = offset;
            connection()?.send({ type: 'ack', session, offset });
          }
          onChanged();
        });
      }
      if (frame.type === 'claude_event' && watched.type === 'json') {
        if (watched.early !== null) watched.early.push(frame);
        else if (watched.conversation.add(frame.seq, frame.event)) onChanged();
      }
    },
    onReconnected() {
      // Read the events that happened before the client started to listen.
      if (watched?.type === 'json') readEvents(watched);
      // Nothing has been acknowledged on the new connection yet.
      if (watched?.type === 'screen') watched.ackedTo = null;
    },
    readAsText: transcript.read,
    content(viewport) {
      const conversation = transcript.of(watched?.slug) ?? (watched?.type === 'json' ? watched.conversation : null);
      if (conversation !== null) {
        const { rows, canGoBack } = conversationRows(conversation, { ...viewport, dress: options.dress });
        return { rows, canGoBack, cursor: null };
      }
      if (watched?.type !== 'screen' || !watched.hasContent) return null;
      if (!isOld) return watched.screen.rows(viewport);
      const { rows, canGoBack } = watched.screen.rows({ ...viewport, hasColours: false });
      return { rows: rows.map((row) => options.dress('dim', row)), canGoBack, cursor: null };
    },
    dispose: end,
  };
}
