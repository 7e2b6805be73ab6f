import {
  catchupEventText,
  catchupHead,
  catchupSummary,
  catchupTimeText,
  replayCommand,
  replyLines,
  tellingEvents,
} from '../../text/catchup-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { App } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { showPage } from './text-page.ts';

/** Shows what happened while the user was away. */
export function showCatchup(app: App): void {
  app.run(async () => {
    const catchup = await app.client.call('catchup');
    const { dress, options } = app;
    const now = options.now();
    showPage(app, 'While you were away', (cols) => {
      const indented = (text: string, indent: string): string[] =>
        wrap(text, Math.max(10, cols - indent.length - 1)).map((row) => `${indent}${row}`);
      return [
        '',
        ...indented(catchupHead(catchup), ' '),
        ...catchup.sessions.flatMap((session) => [
          '',
          ` ${dress('bold', cleanLine(session.session))}${session.asks ? dress('yellow', '  asks you now') : ''}`,
          ...indented(catchupSummary(session), '   '),
          ...replyLines(session.reply).flatMap((line) => indented(line, '     ').map((row) => dress('dim', row))),
          ...tellingEvents(session).flatMap((event) => {
            const replay = event.replay === null ? '' : `   ${replayCommand(event.replay)}`;
            return indented(`${catchupTimeText(event.at, now)}  ${catchupEventText(event)}${replay}`, '   ');
          }),
        ]),
      ];
    });
  });
}
