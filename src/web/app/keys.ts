import { overlay } from '../navigation/overlay.ts';
import { type Shortcut, sessionShortcuts } from '../navigation/shortcuts.ts';
import { EVERYWHERE } from './page-shortcuts.ts';

/** How long to wait for the second key of a pair such as `g s`. */
const PAIR_LIMIT_MS = 1_200;

let first: { key: string; at: number } | null = null;

/** Listens for shortcuts. Returns a function that stops listening. */
export function startKeys(): () => void {
  document.addEventListener('keydown', handleKey);
  return () => document.removeEventListener('keydown', handleKey);
}

function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k' && !isTerminal(event)) {
    event.preventDefault();
    overlay.value = overlay.value === 'palette' ? null : 'palette';
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  if (overlay.value !== null) {
    answerInDialog(event);
    return;
  }
  const before = first !== null && performance.now() - first.at < PAIR_LIMIT_MS ? first.key : null;
  first = null;
  const shortcut = (before === null ? undefined : findShortcut(`${before} ${event.key}`)) ?? findShortcut(event.key);
  if (shortcut !== undefined) {
    event.preventDefault();
    shortcut.run();
    return;
  }
  const begins = [...EVERYWHERE, ...sessionShortcuts()].some(({ keys }) => keys.startsWith(`${event.key} `));
  if (begins) first = { key: event.key, at: performance.now() };
}

/**
 * An overlay receives all keypresses. If it is a dialog with a question, the keys that answer the question still work.
 */
function answerInDialog(event: KeyboardEvent): void {
  const { value } = overlay;
  if (value === null || typeof value === 'string' || value.about !== 'answer') return;
  const shortcut = findShortcut(event.key);
  if (shortcut?.answers !== true) return;
  event.preventDefault();
  shortcut.run();
}

function findShortcut(keys: string): Shortcut | undefined {
  return (
    sessionShortcuts().find((shortcut) => shortcut.keys === keys) ??
    EVERYWHERE.find((shortcut) => shortcut.keys === keys)
  );
}

/** In a text field, keys type text. Escape moves the focus out of the field. */
function isTyping({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const takesText =
    target.isContentEditable ||
    target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=range])');
  if (takesText && key === 'Escape' && !target.matches('.xterm-helper-textarea')) target.blur();
  return takesText;
}

function isTerminal({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('.xterm-helper-textarea');
}
