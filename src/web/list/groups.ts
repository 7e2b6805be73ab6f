import { ATTENTIONS, attentionOf, type Session } from '../../protocol/index.ts';
import { ATTENTION_TITLES } from '../../text/session-words.ts';
import { gistOf, statusText, TONES, type Tone } from './tone.ts';

export interface Group {
  title: string;
  tone: Tone;
  sessions: Session[];
}

/**
 * Returns the list as it is shown: grouped by what the sessions need, without empty groups. Sessions that wait are
 * sorted by time, longest first. The others keep their places, so that nothing moves under a finger.
 */
export function groupSessions(all: Iterable<Session>, filter = ''): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = [...all].filter((session) => matches(session, words));
  return ATTENTIONS.map((attention) => {
    const members = shown.filter((session) => attentionOf(session) === attention);
    const isUrgent = attention === 'needs_you' || attention === 'done';
    const sessions = isUrgent ? members.sort(longestFirst) : members;
    return { title: ATTENTION_TITLES[attention], tone: TONES[attention], sessions };
  }).filter(({ sessions }) => sessions.length > 0);
}

function matches(session: Session, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [session.slug, session.path ?? '', statusText(session), gistOf(session)].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function longestFirst(one: Session, other: Session): number {
  return Date.parse(one.status.since) - Date.parse(other.status.since);
}
