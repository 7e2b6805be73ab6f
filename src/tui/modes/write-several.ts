import { deliveryLine } from '../../text/delivery-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { EMPTY_EDITOR, edit } from '../input/editor.ts';
import { markedSessions, reportEach } from '../lifecycle.ts';

/** Lets the user write a prompt, and sends it to all marked sessions. */
export function writeToMarked(app: App): void {
  const slugs = markedSessions(app).map(({ slug }) => slug);
  let editor = EMPTY_EDITOR;
  app.open({
    hints: () => [
      ['Enter', 'send'],
      ['Alt+Enter', 'new line'],
      ['Esc', 'leave'],
    ],
    handle(event) {
      if (event.kind === 'key' && (event.name === 'escape' || event.name === 'ctrl+c')) return app.close();
      if (event.kind === 'key' && event.name === 'enter') {
        const { text } = editor;
        if (text.trim() === '') return;
        app.close();
        return reportEach(app, `Sent to ${slugs.length}`, slugs, async (slug) =>
          deliveryLine(await app.client.call('send', { params: { slug }, body: { text } })),
        );
      }
      const isNewLine = event.kind === 'key' && ['alt+enter', 'shift+enter', 'ctrl+j'].includes(event.name);
      editor = edit(editor, isNewLine ? { kind: 'paste', text: '\n' } : event) ?? editor;
      app.changed();
    },
    input: () => ({
      title: `To ${slugs.length} sessions: ${slugs.map(cleanLine).join(', ')}`,
      mark: '> ',
      editor,
      isActive: true,
    }),
  });
}
