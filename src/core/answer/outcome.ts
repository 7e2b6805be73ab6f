import type { Primary, QuestionKind } from '../../protocol/index.ts';
import type { ScreenFrame } from '../status/index.ts';
import { INTERRUPTED } from '../status/screen/layout.ts';
import type { Reply } from './reply.ts';

/** What is known about a session since CBOS replied to one of its questions. */
export interface SeenSinceReply {
  /** whether the session's status still contains the same question */
  isOpen: boolean;
  primary: Primary | null;
  /** the input that the tool call had when it ended, or null if it has not ended yet */
  endedInput: unknown;
  /**
   * what came first: the normal end of the turn, or the next prompt. After an interrupt or a no, no hook reports the
   * end of the turn, and the next prompt may come from Claude Code's queue. Null if neither has come yet.
   */
  followed: 'turn_end' | 'prompt' | null;
  /** whether a hook reports the end of every call, even if the call fails (since 2.1.329) */
  isEveryEndReported: boolean;
  /** how many more calls the screen reports as decided by a hook than at the time of the reply */
  decided: number;
  /** how many more marks of an interrupt the screen shows than at the time of the reply */
  interrupted: number;
}

/** `open`: the outcome is not yet known. `other`: someone at the terminal answered first. */
export type Outcome = 'taken' | 'other' | 'open';

/**
 * Returns the outcome of a reply. The first answer wins, and Claude Code does not report whose answer that was. A yes
 * and a no have different consequences, so the consequences reveal which one won. If both answers were the same, it
 * does not matter which came first.
 */
export function outcomeOf(reply: Reply, kind: QuestionKind, seen: SeenSinceReply): Outcome {
  if (seen.endedInput !== null) return isAsReplied(reply, kind, seen) ? 'taken' : 'other';
  // If a view covers the dialog, only this mark shows that a no has ended the turn. No hook reports it.
  if (seen.interrupted > 0 && reply.behavior === 'deny' && reply.interrupt === true) return 'taken';
  if (seen.isOpen) return 'open';
  if (seen.decided > 0) return 'taken';
  // A call that a yes allows ends before its turn does, and before the next prompt. Otherwise, an Esc dismissed the
  // dialog, and the end of a turn is that of a queued prompt.
  const isPassedOver = seen.followed === 'prompt' || (seen.followed === 'turn_end' && seen.isEveryEndReported);
  if (isPassedOver && reply.behavior === 'allow') return 'other';
  if (seen.followed !== null) return 'taken';
  if (seen.primary === 'idle') return reply.behavior === 'deny' && reply.interrupt === true ? 'taken' : 'other';
  if (seen.primary === 'waiting') return 'taken';
  // After a yes, the call runs, whoever answered. After a no, either the call still runs or the model moves on.
  return reply.behavior === 'allow' ? 'taken' : 'open';
}

function isAsReplied(reply: Reply, kind: QuestionKind, { endedInput }: SeenSinceReply): boolean {
  if (reply.behavior === 'deny') return false;
  return kind !== 'question' || answersOf(endedInput) === answersOf(reply.updatedInput);
}

const answersOf = (input: unknown): string => JSON.stringify((input as { answers?: unknown } | null)?.answers ?? null);

const DECIDED = /^\s*⎿\s+(?:Allowed|Denied) by PermissionRequest hook/;

/** Returns how many calls the screen reports as decided by a hook (2.0.77 to 2.1.330). */
export const decidedOn = (frame: ScreenFrame | undefined): number =>
  frame?.lines.filter((line) => DECIDED.test(line)).length ?? 0;

/** Returns how many marks of an interrupt the screen shows. */
export const interruptedOn = (frame: ScreenFrame | undefined): number =>
  frame?.lines.filter((line) => INTERRUPTED.test(line)).length ?? 0;
