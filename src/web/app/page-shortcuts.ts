import { cycleGrouping, FILTER_ID, openNeighbour, openNextThatNeeds } from '../list/arranged.ts';
import { isChoosing, setChoosing } from '../list/chosen.ts';
import { overlay } from '../navigation/overlay.ts';
import { goTo } from '../navigation/router.ts';
import { focusOn, type Shortcut } from '../navigation/shortcuts.ts';

/** The shortcuts that work everywhere, except while the user is typing text. */
export const EVERYWHERE: readonly Shortcut[] = [
  {
    keys: '?',
    does: 'All keys',
    run: () => {
      overlay.value = 'help';
    },
  },
  { keys: '/', does: 'Filter the sessions', run: () => focusOn(FILTER_ID) },
  { keys: 'j', does: 'Next session', run: () => openNeighbour(1) },
  { keys: 'k', does: 'Previous session', run: () => openNeighbour(-1) },
  { keys: 'w', does: 'The session that has needed you longest', run: openNextThatNeeds },
  { keys: 'n', does: 'New session', run: () => goTo({ page: 'new' }) },
  { keys: 'v', does: 'Choose several sessions', run: () => setChoosing(!isChoosing.peek()) },
  {
    keys: 'f',
    does: 'Groups, tags and repositories in the list',
    run: () => {
      overlay.value = 'list';
    },
  },
  { keys: 'b', does: 'Change how the list is grouped', run: cycleGrouping },
  { keys: 'g s', does: 'Search', run: () => goTo({ page: 'search', query: '' }) },
  { keys: 'g t', does: 'Drafts', run: () => goTo({ page: 'stash' }) },
  { keys: 'g i', does: 'Inbox: one question at a time', run: () => goTo({ page: 'inbox' }) },
  { keys: 'g a', does: 'Archived sessions', run: () => goTo({ page: 'archived' }) },
  { keys: 'g x', does: 'Bring back lost sessions', run: () => goTo({ page: 'lost' }) },
  { keys: 'g h', does: 'History', run: () => goTo({ page: 'history' }) },
  { keys: 'g c', does: 'Schedules', run: () => goTo({ page: 'schedules' }) },
  { keys: 'g b', does: 'Budgets', run: () => goTo({ page: 'budgets' }) },
  { keys: 'g m', does: 'Memory and processor time of each session', run: () => goTo({ page: 'resources' }) },
  { keys: 'g w', does: 'While you were away', run: () => goTo({ page: 'catchup' }) },
  { keys: 'g r', does: 'Rules that answer for you', run: () => goTo({ page: 'rules' }) },
  {
    keys: 'g u',
    does: 'Audit: what rules have decided',
    run: () => goTo({ page: 'audit', session: null }),
  },
  { keys: 'g p', does: 'Settings', run: () => goTo({ page: 'settings' }) },
  { keys: 'g l', does: 'The list', run: () => goTo({ page: 'home' }) },
];
