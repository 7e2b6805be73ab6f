import { ATTENTIONS, attentionOf, type Grouping, type SeenSession } from '../../protocol/index.ts';
import { foldGroups, type ListGroup, listGroupsOf } from '../../text/list-groups.ts';
import { filterWords, matchesWords } from '../../text/session-filter.ts';
import { TONES, type Tone } from './tone.ts';

export interface Group extends Omit<ListGroup, 'attention' | 'isOld'> {
  tone: Tone | null;
}

/** How the user has arranged the list. */
export interface Arrangement {
  filter: string;
  grouping: Grouping;
  /** the keys of the folded groups */
  folded: ReadonlySet<string>;
  /** the open session, which stays visible even in a folded group */
  open: string | null;
}

/** Returns the groups that the list shows, without empty ones. */
export function arrangeSessions(all: Iterable<SeenSession>, { filter, grouping, folded, open }: Arrangement): Group[] {
  const words = filterWords(filter);
  const matching = [...all].filter((session) => matchesWords(session, words));
  const inOrder = grouping === 'attention' ? inPlace(matching) : matching;
  const groups = listGroupsOf(inOrder, grouping);
  return foldGroups(groups, { folded, filter, selected: open }).map(({ attention, isOld, ...group }) => ({
    ...group,
    tone: isOld ? 'unknown' : attention === null ? null : TONES[attention],
  }));
}

/**
 * Sort waiting sessions by time, longest first. All others keep their places, so that nothing moves under the user's
 * finger.
 */
function inPlace(sessions: readonly SeenSession[]): SeenSession[] {
  return ATTENTIONS.flatMap((attention) => {
    const members = sessions.filter((session) => attentionOf(session) === attention);
    return attention === 'needs_you' || attention === 'done' ? members.sort(longestFirst) : members;
  });
}

function longestFirst(one: SeenSession, other: SeenSession): number {
  return Date.parse(one.status.since) - Date.parse(other.status.since);
}
