import { deliveryLine } from '../../text/delivery-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit, insert } from '../input/editor.ts';
import { markedSessions, reportEach } from '../lifecycle.ts';
import { type Binding, keysOf } from './binding.ts';

/** Lets the user write a prompt, and sends it to all marked sessions. */
export function writeToMarked(app: App): void {
  const slugs = markedSessions(app).map(({ slug }) => slug);
  let editor = EMPTY_EDITOR;
  const send = (): void => {
    const { text } = editor;
    if (text.trim() === '') return;
    app.close();
    reportEach(app, `Sent to ${slugs.length}`, slugs, async (slug) =>
      deliveryLine(await app.client.call('send', { params: { slug }, body: { text } })),
    );
  };
  const newLine = (): void => {
    editor = insert(editor, '\n');
  };
  const rows: Binding[] = [
    { keys: ['enter'], does: 'send', run: send },
    { keys: ['alt+enter', 'shift+enter', 'ctrl+j'], does: 'new line', run: newLine },
    { keys: ['escape', 'ctrl+c'], does: 'leave', run: () => app.close() },
  ];
  app.open({
    ...keysOf(app, rows, (event) => {
      editor = edit(editor, event) ?? editor;
    }),
    input: () => ({
      title: `To ${slugs.length} sessions: ${slugs.map(cleanLine).join(', ')}`,
      mark: '> ',
      editor,
      isActive: true,
    }),
  });
}
