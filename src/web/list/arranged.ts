import { computed, effect, signal } from '@preact/signals';
import { elsewhereOf, GROUPINGS, type Grouping } from '../../protocol/index.ts';
import { GROUPING_WORDS, nextGrouping } from '../../text/list-groups.ts';
import { sessions } from '../connection/fleet.ts';
import { goTo, place } from '../navigation/router.ts';
import { tell } from '../parts/toasts.tsx';
import { ticked } from './chosen.ts';
import { arrangeSessions } from './groups.ts';

const GROUPING_KEY = 'cbos.grouping';
const FOLDED_KEY = 'cbos.folded';

export const filter = signal('');
export const FILTER_ID = 'filter';
/** How the list groups sessions. */
export const grouping = signal<Grouping>(
  GROUPINGS.find((one) => one === localStorage.getItem(GROUPING_KEY)) ?? 'attention',
);
/** The keys of the folded groups, which show only sessions that need attention. */
export const folded = signal<ReadonlySet<string>>(new Set(localStorage.getItem(FOLDED_KEY)?.split('\n')));

/** Saves how this browser groups its list. */
export function startList(): void {
  effect(() => {
    localStorage.setItem(GROUPING_KEY, grouping.value);
    localStorage.setItem(FOLDED_KEY, [...folded.value].join('\n'));
  });
}

/** The slug of the open session, or null if no session is open. */
export const openSlug = computed(() => {
  const { value } = place;
  return value.page === 'session' || value.page === 'replay' || value.page === 'changes' ? value.slug : null;
});

/** All sessions, grouped by what they want from the user, regardless of how the list is arranged. */
export const allGroups = computed(() =>
  arrangeSessions(sessions.value.values(), { filter: '', grouping: 'attention', folded: new Set(), open: null }),
);

/** The list, as the page shows it. */
export const groups = computed(() =>
  arrangeSessions(sessions.value.values(), {
    filter: filter.value,
    grouping: grouping.value,
    folded: folded.value,
    open: openSlug.value,
  }),
);

/** The order of the sessions, as a string. Its value therefore changes only when a session moves. */
export const order = computed(() =>
  groups.value
    .map((group) => [group.key, group.title, group.count, ...group.sessions.map(({ slug }) => slug)].join(' '))
    .join('\n'),
);

/** The slugs of the sessions, in list order. */
export const listed = computed(() => groups.value.flatMap((group) => group.sessions.map(({ slug }) => slug)));

/**
 * The ticked sessions that are visible in the list. No action may affect a session that the user cannot see. Sessions
 * on other machines are excluded, because actions on several sessions do not support them.
 */
export const chosen = computed(() => listed.value.filter((slug) => ticked.value.has(slug) && isOwn(slug)));
export const isOwn = (slug: string): boolean => elsewhereOf(sessions.value.get(slug) ?? {}) === null;

export function toggleFold(key: string): void {
  const next = new Set(folded.peek());
  if (!next.delete(key)) next.add(key);
  folded.value = next;
}

/** Switches to the next way of grouping the list. */
export function cycleGrouping(): void {
  grouping.value = nextGrouping(grouping.peek());
  tell(`The list is ${GROUPING_WORDS[grouping.peek()]}`);
}

/** Opens the session that is the given number of places below the open one in the list. */
export function openNeighbour(step: 1 | -1): void {
  const slugs = listed.value;
  if (slugs.length === 0) return;
  const at = slugs.indexOf(openSlug.value ?? '');
  const next = at === -1 ? (step === 1 ? 0 : slugs.length - 1) : (at + step + slugs.length) % slugs.length;
  goTo({ page: 'session', slug: slugs[next] ?? '' });
}

/** Opens the next session that needs attention, starting with the one that has waited longest. */
export function openNextThatNeeds(): void {
  const needing = allGroups.value.filter(({ tone }) => tone === 'needs').flatMap((group) => group.sessions);
  const at = needing.findIndex(({ slug }) => slug === openSlug.value);
  const next = needing[(at + 1) % needing.length];
  if (next !== undefined) goTo({ page: 'session', slug: next.slug });
}
