import { FRAME_BYTES, MAX_LAG_BYTES } from '../../core/stream/index.ts';
import type { StoredEvent, WatchBegun, WatchNews } from '../../protocol/index.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { type LiveRecording, ownRecording } from '../stream/live-recording.ts';
import { sessionSize } from '../stream/session-size.ts';

/** How many events are read at once, and how long they may be as JSON. A message can be at most 8 MB long. */
const [EVENTS_PAGE, EVENTS_BYTES] = [200, 1_000_000];

/** What one watch sends next. */
export interface WatchSource {
  begun: Omit<WatchBegun, 'boot'>;
  /**
   * Returns what is new since the last commit; null if nothing is.
   * @throws CatalogueError no_such_session, no_events
   */
  next(): Promise<{ news: WatchNews; commit(): void } | null>;
  dispose: Dispose;
}

interface SourceOptions {
  slug: string;
  /** what the other machine has already; null if nothing */
  place: { from: number; epoch: number | null } | null;
  onNews(): void;
}

type Watched = Pick<Sessions, 'get' | 'stream' | 'events' | 'onEvent'>;

/** @throws CatalogueError no_such_session, no_recording */
export async function openTerminalSource(sessions: Watched, options: SourceOptions): Promise<WatchSource> {
  const { place, onNews } = options;
  const stream = sessions.stream(options.slug);
  const recording = ownRecording(stream);
  await recording.follow();
  // A session may be renamed while it is watched.
  const size = () => sessionSize(sessions.get(stream.slug));
  let { epoch, position } = placeIn(recording, place);
  let told = size();
  const begun = { from: position, epoch, start: await recording.availableFrom(), size: told };
  const disposers = [
    recording.onBytes(onNews),
    recording.onReset(onNews),
    sessions.onEvent((event) => {
      const isOfThis = 'slug' in event ? event.slug === stream.slug : false;
      if (isOfThis && (event.kind === 'resized' || event.kind === 'removed')) onNews();
    }),
  ];
  return {
    begun,
    next: async () => {
      for (;;) {
        const now = { epoch: recording.epoch(), end: recording.end(), size: size() };
        const isReset = now.epoch !== epoch;
        const from = isReset ? now.end : firstByte(position, now.end);
        const to = Math.min(now.end, from + FRAME_BYTES);
        const isResized = now.size.cols !== told.cols || now.size.rows !== told.rows;
        if (!isReset && !isResized && from >= to) return null;
        const bytes = await recording.read(from, to).catch((error: unknown) => {
          if (now.epoch === recording.epoch()) throw error;
          return null; // the file was moved away while it was being read
        });
        if (bytes === null || now.epoch !== recording.epoch()) continue;
        const data = Buffer.from(bytes).toString('base64');
        return {
          news: { of: 'terminal', from, epoch: now.epoch, start: await recording.availableFrom(), ...now.size, data },
          commit: () => {
            epoch = now.epoch;
            position = from + bytes.length;
            told = now.size;
          },
        };
      }
    },
    dispose: () => {
      for (const dispose of disposers.splice(0)) dispose();
    },
  };
}

/** A machine that is far behind gets the end of the output, and then the screen, but not everything in between. */
const firstByte = (position: number, end: number): number =>
  end - position > MAX_LAG_BYTES ? end - FRAME_BYTES : position;

function placeIn(recording: LiveRecording, place: SourceOptions['place']): { epoch: number; position: number } {
  const epoch = recording.epoch();
  const isKnown = place !== null && (place.epoch ?? epoch) === epoch && place.from <= recording.end();
  return { epoch, position: isKnown ? place.from : recording.end() };
}

/** @throws CatalogueError no_such_session, no_events */
export async function openEventSource(sessions: Watched, options: SourceOptions): Promise<WatchSource> {
  const { place, onNews } = options;
  let { slug } = options;
  let last = place === null ? lastEvent(sessions, slug) : place.from;
  sessions.events(slug, { after: last, limit: 1 });
  const stop = sessions.onEvent((event) => {
    if (event.kind === 'renamed' && event.from === slug) slug = event.session.slug;
    if ((event.kind === 'events' || event.kind === 'removed') && event.slug === slug) onNews();
  });
  return {
    begun: { from: last, epoch: 0, start: 0, size: null },
    next: async () => {
      const events = withinBytes(sessions.events(slug, { after: last, limit: EVENTS_PAGE }).events);
      const newest = events.at(-1);
      if (newest === undefined) return null;
      return {
        news: { of: 'events', events },
        commit: () => {
          last = newest.seq;
        },
      };
    },
    dispose: stop,
  };
}

function lastEvent(sessions: Watched, slug: string): number {
  let last = 0;
  for (let after: number | null = 0; after !== null; ) {
    const page = sessions.events(slug, { after, limit: EVENTS_PAGE });
    last = page.events.at(-1)?.seq ?? last;
    after = page.next;
  }
  return last;
}

/** Returns the first events that fit into one message, but at least one of them. */
function withinBytes(events: readonly StoredEvent[]): StoredEvent[] {
  let bytes = 0;
  const fitting = events.findIndex((event, index) => {
    bytes += JSON.stringify(event).length;
    return index > 0 && bytes > EVENTS_BYTES;
  });
  return events.slice(0, fitting === -1 ? events.length : fitting);
}
