import type { Attention } from './attention/attend.ts';
import type { BaseSessions } from './base-sessions.ts';
import type { Book } from './book/book.ts';
import type { LabelledRequests } from './labels/label-sessions.ts';
import type { Sessions } from './sessions.ts';

/** Joins the requests that the sessions answer with those that the features answer. */
export function joinSessions(
  base: BaseSessions,
  { attention, labels, book }: { attention: Attention; labels: LabelledRequests; book: Book },
): Sessions {
  const { seen, unseen, snooze, unsnooze } = attention;
  return { ...base, ...{ seen, unseen, snooze, unsnooze }, ...labels, onEvent: book.onEvent };
}
