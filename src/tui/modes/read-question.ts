import { openQuestions, type SeenSession } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { askedText } from '../../text/tool-input-text.ts';
import type { App } from '../app.ts';
import { openPart, selectedSession, shownQuestion } from '../model.ts';
import { questionPage } from '../view/question-rows.ts';
import { showPage } from './text-page.ts';

/** Shows the selected session's question as a page, so that the user can read it to its end. */
export function showQuestion(app: App, session: SeenSession): void {
  const { model } = app;
  const question = shownQuestion(model);
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

/** Shows the next or the previous open question of the selected session. */
export function goToQuestion(app: App, step: 1 | -1): void {
  const { model } = app;
  const status = selectedSession(model)?.status;
  const questions = status === undefined ? [] : openQuestions(status);
  if (questions.length < 2) {
    app.toast('good', 'There is no other open question');
    return;
  }
  const at = questions.findIndex(({ id }) => id === shownQuestion(model)?.id);
  model.asked = questions[(at + step + questions.length) % questions.length]?.id ?? null;
  model.answer = null;
  app.changed();
}
