import { type App, moveSelection } from '../app.ts';
import { edit, editorOf } from '../input/editor.ts';
import { listed } from '../model.ts';
import { bestMatch } from '../order.ts';

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
  app.open({
    hints: () => [
      ['Enter', 'keep it'],
      ['Esc', 'show all'],
    ],
    handle(event) {
      if (event.kind === 'key' && event.name === 'enter') return app.close();
      if (event.kind === 'key' && (event.name === 'escape' || event.name === 'ctrl+c')) {
        apply('');
        return app.close();
      }
      if (event.kind === 'key' && (event.name === 'up' || event.name === 'down')) {
        return moveSelection(app, event.name === 'up' ? -1 : 1);
      }
      editor = edit(editor, event) ?? editor;
      apply(editor.text);
    },
    input: () => ({ title: 'Show only sessions with', mark: 'filter: ', editor, isActive: true }),
  });
}
