import type { SessionView } from '../client/index.ts';
import { isCurrent, isSnoozed, needsYou, type SeenSession } from '../protocol/index.ts';
import { sessionGist } from '../text/session-words.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { Model } from './model.ts';

/** A session that has just started to need attention. */
export interface Alert {
  slug: string;
  text: string;
}

/**
 * Returns a key that changes each time a session starts to wait. If a dialog is reported again with more options, the
 * key stays the same.
 */
function waitingKey({ snoozed, state, status }: SeenSession): string | null {
  if (isSnoozed({ snoozed })) return null;
  if (state !== 'waiting' && state !== 'error') return null;
  return status.question?.id ?? `${status.primary}/${status.detail}`;
}

/**
 * Returns the sessions that started to wait between two views, except for the session that the user is looking at. The
 * first view does not lead to alerts, because the bell would ring for sessions that have been waiting for hours. Nor
 * does the first list from another machine.
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
 * Returns the control codes that alert the user: the bell, and a desktop notification by the terminal (OSC 9, which
 * terminals without this feature ignore).
 */
export function alertCodes(alerts: Model['alerts'], text: string): string {
  switch (alerts) {
    case 'quiet':
      return '';
    case 'bell':
      return BELL;
    case 'desktop':
      // Clean the text, because it comes from a session and must not end the sequence early.
      return `${BELL}\u001b]9;CBOS: ${cleanLine(text)}\u001b\\`;
  }
}
