import type { SessionView } from '../client/index.ts';
import { isCurrent, isSnoozed, needsYou, type SeenSession } from '../protocol/index.ts';
import { sessionGist } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { Model } from './model.ts';

/** A session that has just begun to need attention. */
export interface Alert {
  slug: string;
  text: string;
}

/**
 * Returns a key that is different each time a session begins to wait. The key stays the same if a dialog is reported
 * again with more options.
 */
function waitingKey({ snoozed, state, status }: SeenSession): string | null {
  if (isSnoozed({ snoozed })) return null;
  if (state !== 'waiting' && state !== 'error') return null;
  return status.question?.id ?? `${status.primary}/${status.detail}`;
}

/**
 * Returns the sessions that began to wait between two views, except the one that the user is looking at. The first view
 * causes no alerts, because it would ring for sessions that have been waiting for hours. Another machine's first list
 * causes none either.
 */
export function alertsBetween(before: SessionView, after: SessionView, model: Model): Alert[] {
  if (before.size === 0) return [];
  return [...after.values()].flatMap((session) => {
    const { slug } = session;
    const was = before.get(slug);
    const key = waitingKey(session);
    const machine = session.elsewhere?.machine;
    if (machine !== undefined && was === undefined && !hasMachine(before, machine)) return [];
    const isSeen = slug === model.selected && model.hasFocus;
    if (key === null || isSeen || !isCurrent(session) || (was !== undefined && waitingKey(was) === key)) return [];
    const gist = sessionGist(session);
    return [
      {
        slug,
        text: `${slug} ${needsYou(session) ? 'needs you' : 'is done'}${gist === '' ? '' : `: ${gist}`}`,
      },
    ];
  });
}

function hasMachine(view: SessionView, machine: string): boolean {
  return [...view.values()].some(({ elsewhere }) => elsewhere?.machine === machine);
}

const BELL = '\u0007';

/**
 * Returns the codes that alert the user: the bell, and a desktop notification through the terminal (OSC 9, which other
 * terminals ignore).
 */
export function alertCodes(alerts: Model['alerts'], text: string): string {
  switch (alerts) {
    case 'quiet':
      return '';
    case 'bell':
      return BELL;
    case 'desktop':
      // The text comes from a session, so nothing in it may end the sequence early.
      return `${BELL}\u001b]9;CBOS: ${cleanLine(text)}\u001b\\`;
  }
}
