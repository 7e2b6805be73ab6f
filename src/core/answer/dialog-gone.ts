import type { Question } from '../../protocol/index.ts';
import type { Cover } from '../status/index.ts';
import { type DialogView, showsDialog } from './dialog-view.ts';

/** What is known about a dialog after its last keypress. */
export interface DialogSeen {
  view: DialogView;
  cover: Cover | null;
  /** the id of the question in the status */
  questionId: string | null;
}

/**
 * Returns a function that reports, each time it is called, whether a dialog is gone or has been replaced by another. A
 * transcript that opens over the dialog looks like another question, and may have taken the keypress. When the
 * transcript closes, nothing is visible at first. The dialog appears again a moment later, before the status follows.
 * Without these checks, CBOS reported an answer as given although its question was still open (2.1.329).
 * @param before what was known when the last key was typed
 */
export function watchForEnd(question: Question, before: DialogSeen): (now: DialogSeen) => boolean {
  let wasCovered = false;
  return (now) => {
    const isShown = showsDialog(question, before.view, now.view);
    wasCovered ||= now.cover === 'transcript';
    if (now.cover === 'transcript' || (wasCovered && isShown)) return false;
    if (now.cover === 'unknown' && question.kind !== 'setup') return false;
    if (now.questionId === before.questionId) return false;
    // Without hooks, a question's identity is computed from the screen, which changes with every character typed.
    return question.tool !== null || !isShown;
  };
}
