import type { Question } from '../../protocol/index.ts';
import type { Cover } from '../status/index.ts';
import { type DialogView, showsDialog } from './answer-keys.ts';

/** What is seen of a dialog after its last key. */
export interface DialogSeen {
  view: DialogView;
  cover: Cover | null;
  /** of the question that the status tells */
  questionId: string | null;
}

/**
 * Tells, look by look, whether a dialog is gone, or another one is there. A transcript that is opened over it looks
 * like another question, and may have taken the key; as it closes nothing is seen at first, and then the dialog again,
 * before the status tells of it. An answer was told to be given that way whose question was still open (2.1.329).
 * @param before what was seen when the last key was typed
 */
export function watchForEnd(question: Question, before: DialogSeen): (now: DialogSeen) => boolean {
  let wasCovered = false;
  return (now) => {
    const isShown = showsDialog(question, before.view, now.view);
    wasCovered ||= now.cover === 'transcript';
    if (now.cover === 'transcript' || (wasCovered && isShown)) return false;
    if (now.cover === 'unknown' && question.kind !== 'setup') return false;
    if (now.questionId === before.questionId) return false;
    // Without hooks a question's identity is made of what the screen shows, and that changes with every letter typed.
    return question.tool !== null || !isShown;
  };
}
