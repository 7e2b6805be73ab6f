import { suggestionText } from '../text/memory-words.ts';
import { answer } from './actions.ts';
import { type App, requireSelected } from './app.ts';
import { isReadable, type Model, READING_MS, shownQuestion } from './model.ts';

/**
 * Reports whether the key that repeats an earlier answer is active. The user must have seen the question and that
 * answer.
 */
export function isSuggestionReadable(model: Model, now: number): boolean {
  const { suggestedSince } = model.drawn;
  return isReadable(model, now) && suggestedSince !== null && now >= suggestedSince + READING_MS;
}

/** Gives the open question the answer that the user has always given. */
export function answerAgain(app: App): void {
  const session = requireSelected(app);
  const question = shownQuestion(app.model);
  const suggestion = app.memories.of(session, question)?.suggestion ?? null;
  if (session === null) return;
  if (question === null || suggestion === null) {
    app.toast('bad', 'There is no earlier answer to repeat');
    return;
  }
  if (isSuggestionReadable(app.model, app.options.now())) answer(app, suggestion, suggestionText(question, suggestion));
  else app.toast('wait', 'This suggestion is new; read it first');
}
