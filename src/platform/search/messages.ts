import type { SaidAt } from '../sqlite/search-entries.ts';
import type { IndexAnswer, NumberedEvent, SearchRequest } from './search-index.ts';
import type { RecordingPlace } from './session-recordings.ts';

/** Messages to the index's thread that require no response. */
export type IndexMessage =
  | { kind: 'follow'; session: string; place: RecordingPlace }
  | { kind: 'nudge'; session: string }
  | { kind: 'transcript'; session: string; file: string }
  | { kind: 'said'; session: string; texts: readonly SaidAt[] }
  | { kind: 'events'; session: string; events: readonly NumberedEvent[] }
  | { kind: 'forget'; session: string }
  | { kind: 'keepOnly'; sessions: readonly string[] };

/** Questions to the index's thread. Each answer repeats the number of its question. */
export type IndexQuestion =
  | { kind: 'search'; id: number; request: SearchRequest }
  | { kind: 'lastEvent'; id: number; session: string }
  | { kind: 'collect'; id: number }
  | { kind: 'close'; id: number };

export type IndexReply =
  | { kind: 'answer'; id: number; answer: IndexAnswer | number | null }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'fault'; message: string };
