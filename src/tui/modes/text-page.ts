import type { App } from '../app.ts';
import { createPager } from '../list.ts';
import type { Mode } from '../mode.ts';
import { type Binding, keysOf, leavingBy, movingBy } from './binding.ts';

export interface PageOptions {
  /** called when the last line has become visible */
  onEnd?: () => void;
  /** the keys of the page, in addition to those that scroll it and leave it */
  keys?: readonly Binding[];
  input?: NonNullable<Mode['input']>;
  /** called when the user leaves the page; if omitted, leaving the page returns the user to browsing */
  onLeave?: () => void;
}

/**
 * Shows lines of text instead of the session, and lets the user scroll with the keys of a pager.
 * @param linesFor returns the styled lines for a given width
 */
export function showPage(
  app: App,
  title: string,
  linesFor: (cols: number) => string[],
  { onEnd, keys = [], input, onLeave = app.close }: PageOptions = {},
): void {
  const pager = createPager();
  app.open({
    ...keysOf(app, [...keys, movingBy(pager.onKey, 'scroll'), leavingBy(onLeave, ['?', 'enter'])]),
    ...(input === undefined ? {} : { input }),
    page(cols, rows) {
      const shown = pager.show(linesFor(cols), rows);
      if (shown.isEnd) onEnd?.();
      return { title: `${title}${shown.more}`, rows: shown.rows };
    },
  });
}
