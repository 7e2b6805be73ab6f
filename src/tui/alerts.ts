import type { SessionView } from '../client/index.ts';
import { needsYou, type Session } from '../protocol/index.ts';
import { sessionGist } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { Model } from './model.ts';

/** A session that needs the person since just now. */
export interface Alert {
  slug: string;
  text: string;
}

/** What makes a session's waiting another one: the same dialog, told twice with more of its options, is not. */
function waitingKey({ state, status }: Session): string | null {
  if (state !== 'waiting' && state !== 'error') return null;
  return status.question?.id ?? `${status.primary}/${status.detail}`;
}

/**
 * The sessions that began to wait between two views, but for the one that the person looks at. A first view tells
 * nothing: it would ring for all that has been waiting for hours.
 */
export function alertsBetween(before: SessionView, after: SessionView, model: Model): Alert[] {
  if (before.size === 0) return [];
  return [...after.values()].flatMap((session) => {
    const { slug } = session;
    const was = before.get(slug);
    const key = waitingKey(session);
    const isSeen = slug === model.selected && model.hasFocus;
    if (key === null || isSeen || (was !== undefined && waitingKey(was) === key)) return [];
    const gist = sessionGist(session);
    return [
      {
        slug,
        text: `${slug} ${needsYou(session) ? 'needs you' : 'is done'}${gist === '' ? '' : `: ${gist}`}`,
      },
    ];
  });
}

const BELL = '\u0007';

/**
 * What tells the person's terminal: the bell, and the desktop by way of it (OSC 9; terminals that do not know it show
 * nothing).
 */
export function alertCodes(alerts: Model['alerts'], text: string): string {
  switch (alerts) {
    case 'quiet':
      return '';
    case 'bell':
      return BELL;
    case 'desktop':
      // A text from a session: nothing of it may end the sequence early.
      return `${BELL}\u001b]9;CBOS: ${cleanLine(text)}\u001b\\`;
  }
}
