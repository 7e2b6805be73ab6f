import type { App } from '../app.ts';
import { EMPTY_EDITOR } from '../input/editor.ts';
import { wrap } from '../view/cells.ts';

interface Confirmation {
  question: string;
  /** details about the action, if they do not fit on one line */
  about?: string;
  onYes(): void | Promise<void>;
}

/** Asks for confirmation before an action that cannot be undone. Only `y` counts as a yes. */
export function confirm(app: App, { question, about, onYes }: Confirmation): void {
  app.open({
    ...(about === undefined
      ? {}
      : {
          page: (cols: number) => ({ title: question, rows: ['', ...wrap(about, cols - 3)].map((row) => ` ${row}`) }),
        }),
    hints: () => [
      ['y', 'yes'],
      ['n', 'no'],
    ],
    handle(event) {
      // The mouse wheel also sends these keys.
      if (event.kind !== 'key' || event.name === 'up' || event.name === 'down') return;
      app.close();
      if (event.name === 'y') app.run(async () => onYes());
    },
    input: () => ({ title: '', mark: `${question} (y/n) `, editor: EMPTY_EDITOR, isActive: true }),
  });
}
