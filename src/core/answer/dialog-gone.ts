import type { Question } from '../../protocol/index.ts';
import type { Cover } from '../status/index.ts';
import { type DialogView, showsDialog } from './dialog-view.ts';

/** What CBOS sees of a dialog after the last keypress of an answer. */
export interface DialogSeen {
  view: DialogView;
  cover: Cover | null;
  /** the id of the question that the session's status contains */
  questionId: string | null;
}

/**
 * Returns a function that reports, each time it is called, whether a dialog has closed or been replaced by another one.
 * A transcript that opens over the dialog looks like a different question, and may have swallowed the keypress. When
 * the transcript closes, the screen first shows neither. The dialog reappears a moment later, before the status catches
 * up. Without these checks, CBOS reported that an answer was given although its question was still open (2.1.329).
 * @param before what CBOS saw when it typed the last key
 */
export function watchForEnd(question: Question, before: DialogSeen): (now: DialogSeen) => boolean {
  let wasCovered = false;
  return (now) => {
    const isShown = showsDialog(question, before.view, now.view);
    wasCovered ||= now.cover === 'transcript';
    if (now.cover === 'transcript' || (wasCovered && isShown)) return false;
    if (now.cover === 'unknown' && question.kind !== 'setup') return false;
    if (now.questionId === before.questionId) return false;
    // Without hooks, CBOS computes a question's identity from the screen, which changes with every character typed.
    return question.tool !== null || !isShown;
  };
}
