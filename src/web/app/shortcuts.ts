import { useLayoutEffect } from 'preact/hooks';
import type { QuestionOption } from '../../protocol/index.ts';
import { isChoosing, setChoosing } from '../list/chosen.ts';
import { FILTER_ID, openNeighbour, openNextThatNeeds } from '../list/list.tsx';
import { overlay } from './overlay.ts';
import { goTo } from './router.ts';

/** One thing that a key does, as `?` lists it. */
export interface Shortcut {
  /** as `KeyboardEvent.key` says it; a second one after a blank follows the first */
  keys: string;
  does: string;
  /** it answers the question that is shown */
  answers?: boolean;
  run(): void;
}

/** Everywhere, unless somebody types. */
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
  { keys: 'k', does: 'Session before', run: () => openNeighbour(-1) },
  { keys: 'w', does: 'The session that needs you longest', run: openNextThatNeeds },
  { keys: 'n', does: 'New session', run: () => goTo({ page: 'new' }) },
  { keys: 'v', does: 'Choose several sessions', run: () => setChoosing(!isChoosing.peek()) },
  { keys: 'g s', does: 'Search', run: () => goTo({ page: 'search', query: '' }) },
  { keys: 'g t', does: 'Drafts', run: () => goTo({ page: 'stash' }) },
  { keys: 'g h', does: 'History', run: () => goTo({ page: 'history' }) },
  { keys: 'g p', does: 'Settings', run: () => goTo({ page: 'settings' }) },
  { keys: 'g l', does: 'The list', run: () => goTo({ page: 'home' }) },
];

/**
 * What is shown offers these: the open session's view, and over it a dialog. Each registers its own while it is shown.
 */
const added = new Set<readonly Shortcut[]>();

/**
 * Offers shortcuts for as long as the component is shown; they come before those that were added earlier.
 * @param deps as of an effect: what the shortcuts depend on
 */
export function useShortcuts(shortcuts: readonly Shortcut[], deps: readonly unknown[]): void {
  // Together with the component, not after its first picture: whoever sees it may press its keys.
  useLayoutEffect(() => {
    added.add(shortcuts);
    return () => added.delete(shortcuts);
  }, [...deps]);
}

/** Of several for a key, the one that counts. */
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

/** The key that chooses an option: its number, as Claude Code's own dialogs have it. */
export function optionKey(_: QuestionOption, index: number): string | null {
  return index < 9 ? String(index + 1) : null;
}
