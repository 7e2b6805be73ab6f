import type { SeenSession } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit, editorOf } from '../input/editor.ts';
import { renameSession } from '../lifecycle.ts';
import { type Binding, keysOf } from './binding.ts';

/** Renames the selected session. The old name is shown as selected text, which typing replaces. */
export function rename(app: App, session: SeenSession): void {
  let editor = editorOf(session.slug);
  let isProposed = true;
  const save = (): void => {
    app.close();
    const name = editor.text.trim();
    if (name !== session.slug) renameSession(app, session, name);
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: 'rename', run: save },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: () => app.close() },
  ];
  app.open({
    ...keysOf(app, rows, (event) => {
      const isTyped = event.kind === 'paste' || (event.kind === 'key' && event.text !== '');
      editor = edit(isProposed && isTyped ? EMPTY_EDITOR : editor, event) ?? editor;
      if (event.kind !== 'focus') isProposed = false;
    }),
    input: () => ({ title: `Another name for ${cleanLine(session.slug)}`, mark: 'name: ', editor, isActive: true }),
  });
}
