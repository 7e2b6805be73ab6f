import type { Primary, QuestionKind } from '../../protocol/index.ts';
import type { ScreenFrame } from '../status/index.ts';
import type { Reply } from './reply.ts';

/** What is seen of a session since a reply was handed over. */
export interface SeenSinceReply {
  /** the status tells of the same question still */
  isOpen: boolean;
  primary: Primary | null;
  /** input of the call that was asked about, as it ended; null while it has not */
  endedInput: unknown;
  /** the turn has ended by itself, or the next prompt has begun one */
  isTurnOver: boolean;
  /** how many more calls the screen shows to have been decided by a hook */
  decided: number;
}

/** `open`: not known yet. `other`: somebody at the terminal was first. */
export type Outcome = 'taken' | 'other' | 'open';

/**
 * What became of a reply. The first answer wins, and Claude Code says of none whose it was: but what follows from a yes
 * does not follow from a no. Of equal answers nobody has to know who was first.
 */
export function outcomeOf(reply: Reply, kind: QuestionKind, seen: SeenSinceReply): Outcome {
  if (seen.endedInput !== null) return isAsReplied(reply, kind, seen) ? 'taken' : 'other';
  if (seen.isOpen) return 'open';
  if (seen.decided > 0) return 'taken';
  if (seen.isTurnOver) return 'taken';
  if (seen.primary === 'idle') return reply.behavior === 'deny' && reply.interrupt === true ? 'taken' : 'other';
  if (seen.primary === 'waiting') return 'taken';
  // Whoever allowed a call has it run. After a no it may be the call that runs, or the model that goes on.
  return reply.behavior === 'allow' ? 'taken' : 'open';
}

function isAsReplied(reply: Reply, kind: QuestionKind, { endedInput }: SeenSinceReply): boolean {
  if (reply.behavior === 'deny') return false;
  return kind !== 'question' || answersOf(endedInput) === answersOf(reply.updatedInput);
}

const answersOf = (input: unknown): string => JSON.stringify((input as { answers?: unknown } | null)?.answers ?? null);

const DECIDED = /^\s*⎿\s+(?:Allowed|Denied) by PermissionRequest hook/;

/** How many calls a screen shows to have been decided by a hook (2.0.77 to 2.1.330). */
export const decidedOn = (frame: ScreenFrame | undefined): number =>
  frame?.lines.filter((line) => DECIDED.test(line)).length ?? 0;
