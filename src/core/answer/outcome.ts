import type { Primary, QuestionKind } from '../../protocol/index.ts';
import type { ScreenFrame } from '../status/index.ts';
import type { Reply } from './reply.ts';

/** What is known about a session since CBOS sent a reply. */
export interface SeenSinceReply {
  /** whether the status still has the same question */
  isOpen: boolean;
  primary: Primary | null;
  /** the input that the call had when it ended; null until it has ended */
  endedInput: unknown;
  /** whether the turn has ended normally, or the next prompt has begun a new one */
  isTurnOver: boolean;
  /** how many further calls a hook has decided since the reply, according to the screen */
  decided: number;
}

/** `open`: not yet known. `other`: someone at the terminal answered first. */
export type Outcome = 'taken' | 'other' | 'open';

/**
 * Returns the outcome of a reply. The first answer wins, and Claude Code does not report who gave it. A yes and a no
 * have different consequences, so the consequences show which one won. If both people gave the same answer, it does not
 * matter who was first.
 */
export function outcomeOf(reply: Reply, kind: QuestionKind, seen: SeenSinceReply): Outcome {
  if (seen.endedInput !== null) return isAsReplied(reply, kind, seen) ? 'taken' : 'other';
  if (seen.isOpen) return 'open';
  if (seen.decided > 0) return 'taken';
  if (seen.isTurnOver) return 'taken';
  if (seen.primary === 'idle') return reply.behavior === 'deny' && reply.interrupt === true ? 'taken' : 'other';
  if (seen.primary === 'waiting') return 'taken';
  // After a yes, the call runs, whoever said yes. After a no, either the call runs or the model continues.
  return reply.behavior === 'allow' ? 'taken' : 'open';
}

function isAsReplied(reply: Reply, kind: QuestionKind, { endedInput }: SeenSinceReply): boolean {
  if (reply.behavior === 'deny') return false;
  return kind !== 'question' || answersOf(endedInput) === answersOf(reply.updatedInput);
}

const answersOf = (input: unknown): string => JSON.stringify((input as { answers?: unknown } | null)?.answers ?? null);

const DECIDED = /^\s*⎿\s+(?:Allowed|Denied) by PermissionRequest hook/;

/** Returns how many calls on a screen were decided by a hook (2.0.77 to 2.1.330). */
export const decidedOn = (frame: ScreenFrame | undefined): number =>
  frame?.lines.filter((line) => DECIDED.test(line)).length ?? 0;
