import type { QuestionOption } from '../../protocol/index.ts';
import { FILTER_ID, openNeighbour, openNextThatNeeds } from '../list/list.tsx';
import { overlay } from './overlay.ts';
import { goTo } from './router.ts';

/** One thing that a key does, as `?` lists it. */
export interface Shortcut {
  /** as `KeyboardEvent.key` says it; a second one after a blank follows the first */
  keys: string;
  does: string;
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
  { keys: 'w', does: 'The session that waits longest', run: openNextThatNeeds },
  { keys: 'n', does: 'New session', run: () => goTo({ page: 'new' }) },
  { keys: 'g s', does: 'Search', run: () => goTo({ page: 'search', query: '' }) },
  { keys: 'g t', does: 'Stash', run: () => goTo({ page: 'stash' }) },
  { keys: 'g h', does: 'History', run: () => goTo({ page: 'history' }) },
  { keys: 'g p', does: 'Settings', run: () => goTo({ page: 'settings' }) },
  { keys: 'g l', does: 'The list', run: () => goTo({ page: 'home' }) },
];

/** What the open session's view offers; it registers it while it is shown. */
const ofTheSession = new Map<string, Shortcut>();

/** Adds shortcuts until disposed. */
export function addShortcuts(shortcuts: readonly Shortcut[]): () => void {
  for (const shortcut of shortcuts) ofTheSession.set(shortcut.keys, shortcut);
  return () => {
    for (const shortcut of shortcuts) {
      if (ofTheSession.get(shortcut.keys) === shortcut) ofTheSession.delete(shortcut.keys);
    }
  };
}

export function sessionShortcuts(): Shortcut[] {
  return [...ofTheSession.values()];
}

export function findShortcut(keys: string): Shortcut | undefined {
  return ofTheSession.get(keys) ?? EVERYWHERE.find((shortcut) => shortcut.keys === keys);
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
