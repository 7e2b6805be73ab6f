import { cleanLine } from '../../text/terminal-text.ts';
import { askedText } from '../../text/tool-input-text.ts';
import { type App, requireSelected } from '../app.ts';
import { openPart } from '../model.ts';
import { questionPage } from '../view/question-rows.ts';
import { showPage } from './text-page.ts';

/** Shows the selected session's question as a page, so that the user can read it to its end. */
export function showQuestion(app: App): void {
  const { model } = app;
  const session = requireSelected(app);
  if (session === null) return;
  const { question } = session.status;
  if (question === null) {
    app.toast('good', `${session.slug} has no open question`);
    return;
  }
  const part = openPart(question, model.answer);
  let wrapped: { cols: number; lines: string[] } | null = null;
  const linesFor = (cols: number): string[] => {
    if (wrapped?.cols !== cols) wrapped = { cols, lines: questionPage(question, part, cols) };
    return wrapped.lines;
  };
  showPage(app, `${cleanLine(session.slug)} asks`, linesFor, {
    onEnd: () => {
      model.readToEnd = askedText(question, part);
    },
  });
}
