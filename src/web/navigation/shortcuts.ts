import { useLayoutEffect } from 'preact/hooks';

/** An action that a key triggers. `?` lists all of them. */
export interface Shortcut {
  /** the key, named as in `KeyboardEvent.key`; the second key of a pair follows after a space */
  keys: string;
  does: string;
  /** whether the action answers the question that is currently shown */
  answers?: boolean;
  run(): void;
}

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

export function focusOn(id: string): void {
  const element = document.getElementById(id);
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}
