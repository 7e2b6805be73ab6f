import { useLayoutEffect } from 'preact/hooks';
import type { QuestionOption } from '../../protocol/index.ts';
import { cycleGrouping, FILTER_ID, openNeighbour, openNextThatNeeds } from '../list/arranged.ts';
import { isChoosing, setChoosing } from '../list/chosen.ts';
import { overlay } from './overlay.ts';
import { goTo } from './router.ts';

/** An action that a key triggers. `?` lists all of them. */
export interface Shortcut {
  /** the key, named as in `KeyboardEvent.key`; the second key of a pair follows after a space */
  keys: string;
  does: string;
  /** whether the action answers the question that is currently shown */
  answers?: boolean;
  run(): void;
}

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

/**
 * The shortcuts of visible components, such as the open session's view or a dialog above it. Each component registers
 * its own shortcuts while it is shown.
 */
const added = new Set<readonly Shortcut[]>();

/**
 * Registers shortcuts for as long as the component is shown. They take precedence over shortcuts that were registered
 * earlier.
 * @param deps the values that the shortcuts depend on, like the dependencies of an effect
 */
export function useShortcuts(shortcuts: readonly Shortcut[], deps: readonly unknown[]): void {
  // Register the shortcuts when the component is created, not after it is first drawn, because a user who sees the
  // component may press its keys immediately.
  useLayoutEffect(() => {
    added.add(shortcuts);
    return () => added.delete(shortcuts);
  }, [...deps]);
}

/**
 * Returns the shortcuts that are in effect. If several have the same key, only the one that takes precedence is
 * returned.
 */
export function sessionShortcuts(): Shortcut[] {
  return [...new Map([...added].flat().map((shortcut) => [shortcut.keys, shortcut])).values()];
}

export function findShortcut(keys: string): Shortcut | undefined {
  return (
    sessionShortcuts().find((shortcut) => shortcut.keys === keys) ??
    EVERYWHERE.find((shortcut) => shortcut.keys === keys)
  );
}

export function focusOn(id: string): void {
  const element = document.getElementById(id);
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}

/** Returns the key that chooses an option: its number, as in Claude Code's own dialogs. */
export function optionKey(_: QuestionOption, index: number): string | null {
  return index < 9 ? String(index + 1) : null;
}
