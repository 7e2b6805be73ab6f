import type { App } from '../app.ts';
import { createPager } from '../list.ts';
import type { Hint, Mode } from './mode.ts';

export interface PageOptions {
  /** called when the last line has become visible */
  onEnd?: () => void;
  hints?: readonly Hint[] | (() => readonly Hint[]);
  /**
   * Handles a key that is not a pager key. Returns whether it did so; if not, the key may still be one of those that
   * close a page.
   */
  onKey?: (name: string) => boolean;
  input?: Mode['input'];
  /** called when the user leaves the page; if omitted, leaving the page returns the user to browsing */
  onLeave?: () => void;
}

const HINTS: readonly Hint[] = [
  ['j/k', 'scroll'],
  ['Esc', 'back'],
];

/**
 * Shows lines of text instead of the session, and lets the user scroll with the keys of a pager.
 * @param linesFor returns the styled lines for a given width
 */
export function showPage(
  app: App,
  title: string,
  linesFor: (cols: number) => string[],
  { onEnd, hints = HINTS, onKey, input, onLeave = app.close }: PageOptions = {},
): void {
  const pager = createPager();
  app.open({
    hints: () => [...(typeof hints === 'function' ? hints() : hints)],
    ...(input === undefined ? {} : { input }),
    handle(event) {
      if (event.kind !== 'key') return;
      if (pager.onKey(event.name) || onKey?.(event.name) === true) return;
      if (['escape', 'q', '?', 'enter', 'ctrl+c'].includes(event.name)) onLeave();
    },
    page(cols, rows) {
      const shown = pager.show(linesFor(cols), rows);
      if (shown.isEnd) onEnd?.();
      return { title: `${title}${shown.more}`, rows: shown.rows };
    },
  });
}
