import type { App } from '../app.ts';
import type { Hint, Mode } from './mode.ts';
import { pagerStep } from './pager-keys.ts';

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
  let top = 0;
  let height = 1;
  let count = 0;
  const scroll = (step: number): void => {
    top = Math.max(0, Math.min(count - height, top + step));
    app.changed();
  };
  app.open({
    hints: () => [...(typeof hints === 'function' ? hints() : hints)],
    ...(input === undefined ? {} : { input }),
    handle(event) {
      if (event.kind !== 'key') return;
      const step = pagerStep(event.name, height);
      if (step !== undefined) return scroll(step);
      if (onKey?.(event.name) === true) return;
      if (['escape', 'q', '?', 'enter', 'ctrl+c'].includes(event.name)) onLeave();
    },
    page(cols, rows) {
      const lines = linesFor(cols);
      height = rows;
      count = lines.length;
      top = Math.max(0, Math.min(top, count - rows));
      if (top + rows >= count) onEnd?.();
      const rest = lines.length > top + rows ? `  (${lines.length - top - rows} more lines)` : '';
      return { title: `${title}${rest}`, rows: lines.slice(top, top + rows) };
    },
  });
}
