import type { App } from '../app.ts';
import { EMPTY_EDITOR } from '../input/editor.ts';

/** Asks before something that cannot be undone. Only `y` is a yes. */
export function confirm(app: App, { question, onYes }: { question: string; onYes(): void }): void {
  app.open({
    hints: () => [
      ['y', 'yes'],
      ['n', 'no'],
    ],
    handle(event) {
      if (event.kind !== 'key') return;
      app.close();
      if (event.name === 'y') onYes();
    },
    input: () => ({ title: '', mark: `${question} (y/n) `, editor: EMPTY_EDITOR, isActive: true }),
  });
}
