import type { Session } from '../../protocol/index.ts';
import { gistOf, statusText, type Tone, toneOf } from './tone.ts';

export interface Group {
  title: string;
  tone: Tone;
  sessions: Session[];
}

const GROUPS: readonly { title: string; tones: readonly Tone[] }[] = [
  { title: 'Needs you', tones: ['needs', 'error', 'stuck'] },
  { title: 'Your turn', tones: ['turn'] },
  { title: 'Working', tones: ['busy'] },
  { title: 'Not started', tones: ['idle', 'unknown'] },
  { title: 'Ended', tones: ['dead'] },
];

/**
 * The list as it is shown: by what the sessions need, without empty groups. Who waits is sorted by how long, longest first; the others
 * stay where they are, so that nothing jumps under a finger.
 */
export function groupSessions(all: Iterable<Session>, filter = ''): Group[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = [...all].filter((session) => matches(session, words));
  return GROUPS.map(({ title, tones }) => {
    const members = shown.filter((session) => tones.includes(toneOf(session)));
    const isUrgent = tones[0] === 'needs' || tones[0] === 'turn';
    return { title, tone: tones[0] ?? 'unknown', sessions: isUrgent ? members.sort(longestFirst) : members };
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
