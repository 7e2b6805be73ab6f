import { type App, moveSelection } from '../app.ts';
import { edit, editorOf } from '../input/editor.ts';
import { listed } from '../model.ts';
import { bestMatch } from '../order.ts';
import { type Binding, keysOf } from './binding.ts';

/** Filters the list as the user types, by name, folder, state, and question. */
export function editFilter(app: App): void {
  let editor = editorOf(app.model.filter);
  const apply = (text: string): void => {
    app.model.filter = text.replaceAll('\n', ' ');
    const sessions = listed(app.model);
    const isShown = sessions.some((session) => session.slug === app.model.selected);
    // Select the session whose name was typed, because the next keypress may answer the selected session's question.
    const named = bestMatch(sessions, app.model.filter);
    if (named !== null) app.select(named);
    else if (!isShown) moveSelection(app, 0);
    app.changed();
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: 'keep it', run: () => app.close() },
    {
      keys: ['escape', 'ctrl+c'],
      does: 'show all',
      run() {
        apply('');
        app.close();
      },
    },
    { keys: ['up', 'down'], run: (_, key) => moveSelection(app, key === 'up' ? -1 : 1) },
  ];
  app.open({
    ...keysOf(app, rows, (event) => {
      editor = edit(editor, event) ?? editor;
      apply(editor.text);
    }),
    input: () => ({ title: 'Show only sessions with', mark: 'filter: ', editor, isActive: true }),
  });
}
