import type { App } from '../app.ts';
import { pagerStep } from './pager-keys.ts';

/**
 * Shows lines in place of the session, with the keys of a pager.
 * @param linesFor returns the styled lines for a width
 * @param onEnd called when the last line is in the picture
 */
export function showPage(app: App, title: string, linesFor: (cols: number) => string[], onEnd?: () => void): void {
  let top = 0;
  let height = 1;
  let count = 0;
  const scroll = (step: number): void => {
    top = Math.max(0, Math.min(count - height, top + step));
    app.changed();
  };
  app.open({
    hints: () => [
      ['j/k', 'scroll'],
      ['Esc', 'back'],
    ],
    handle(event) {
      if (event.kind !== 'key') return;
      const step = pagerStep(event.name, height);
      if (step !== undefined) return scroll(step);
      if (['escape', 'q', '?', 'enter', 'ctrl+c'].includes(event.name)) app.close();
    },
    page(cols, rows) {
      const lines = linesFor(cols);
      height = rows;
      count = lines.length;
      if (top + rows >= count) onEnd?.();
      const rest = lines.length > top + rows ? `  (${lines.length - top - rows} more lines)` : '';
      return { title: `${title}${rest}`, rows: lines.slice(top, top + rows) };
    },
  });
}
