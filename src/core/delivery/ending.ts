import { isTurnInterrupted } from '../../protocol/index.ts';
import type { ScreenFrame } from '../status/index.ts';
import type { InterruptedTurn } from '../status/screen/readers.ts';
import { interruptedTurnOn, lastTurnOn } from '../status/screen/screen-rules.ts';
import { normalisePrompt, squeeze } from './box.ts';
import { type Change, type Deliveries, type DeliveryRecord, isEscPending, lastTaken, statusOf } from './record.ts';
import type { PromptSeen, Seen } from './seen.ts';
import { hasJustInterrupted, isQueued, leftoversOf } from './standing.ts';

/**
 * Records that CBOS is about to end a turn. After a crash, this record explains why messages came back into the box. An
 * interrupt puts back a prompt that has no answer yet. Answering no to a permission request puts back the queued
 * messages (2.1.329). The record does not tell whose turn it is.
 */
export function beginEnding(deliveries: Deliveries, by: 'interrupt' | 'answer'): Change[] {
  const last = lastTaken(deliveries);
  if (last === undefined) return [];
  if (by === 'interrupt') {
    const phase = isTurnInterrupted(last) ? 'interrupting_again' : 'interrupting';
    return [{ id: last.id, phase, keepsTime: true }];
  }
  return isQueued(last) ? [{ id: last.id, phase: 'answering', keepsTime: true }] : [];
}

/**
 * Takes back what {@link beginEnding} has recorded, because the interrupt had no effect. A message that has changed
 * since then stays as it is, for example if a hook has refused it.
 */
export const undoEnding = (before: Deliveries, begun: readonly Change[], { recent }: Deliveries): Change[] =>
  before.recent
    .filter(({ id }) => begun.some((change) => change.id === id))
    .filter(({ id }) => recent.some((record) => record.id === id && isEscPending(record)))
    .map(({ id, phase }) => ({ id, phase, keepsTime: true }));

/** A turn that CBOS has interrupted. */
export interface Interrupted {
  /** the deliveries when the interrupt began */
  before: Deliveries;
  /** what {@link beginEnding} has recorded */
  begun: readonly Change[];
  /** what was seen of the turn when the interrupt began */
  seen: Pick<PromptSeen, 'hooks' | 'screen'>;
  /** the screen with the mark of this interrupt, or null if no mark was seen */
  marked: ScreenFrame | null;
  /** whether another turn has begun, as it does if Claude Code's queue contains a prompt */
  hasNextBegun: boolean;
}

/**
 * Records the interrupt of a turn. If Claude Code's queue contained the last prompt, the turn may have been that of the
 * prompt before it. The screen shows the prompt above the mark of the interrupt.
 */
export function finishInterrupt(ending: Interrupted, now: Deliveries): Change[] {
  const { before, begun, seen, hasNextBegun } = ending;
  const last = before.recent.find(({ id }) => begun.some((change) => change.id === id));
  if (last === undefined || !now.recent.some((record) => record.id === last.id && isEscPending(record))) return [];
  const turn = interruptedTurn(ending);
  const isShown = ({ text }: DeliveryRecord): boolean => turn !== null && squeeze(turn.prompt) === squeeze(text);
  const delivered = before.recent.filter((record) => record.id !== last.id && statusOf(record) === 'delivered');
  const upTo = delivered.findIndex(({ intoQueue }) => !intoQueue);
  // Messages that once were in the queue stay marked as such while their own turn runs.
  const first = (upTo < 0 ? delivered : delivered.slice(0, upTo + 1)).find(isShown);
  // If both texts are the same, the prompt that follows is the last one.
  const isOwn = isShown(last) && (first === undefined || turn?.isFollowed === false);
  if (!last.intoQueue || isOwn || (first === undefined && !hasNextBegun)) {
    return isOwn || isOfTurn(last, seen) ? [{ id: last.id, phase: 'interrupted' }] : undoEnding(before, begun, now);
  }
  const isFirst = first?.phase === 'taken' && now.recent.some(({ id, phase }) => id === first.id && phase === 'taken');
  // The last prompt changes last, so it stays the one that the next interrupt is about. If an earlier interrupt has
  // already ended its turn, another turn ran, for example that of a prompt that somebody typed.
  return [
    ...(isFirst ? [{ id: first.id, phase: 'interrupted' } as const] : []),
    { ...withoutEffect(last), ...(hasNextBegun && !isTurnInterrupted(last) ? { intoQueue: false } : {}) },
  ];
}

/** Returns the change to a message whose turn is not the one that ended. */
const withoutEffect = (record: DeliveryRecord): Change => ({
  id: record.id,
  phase: isTurnInterrupted(record) ? 'interrupted' : 'taken',
  keepsTime: true,
});

/**
 * Returns the interrupted turn. Without a mark, it is the turn that ran when the interrupt began: the turn of the
 * prompt that a hook has reported last, unless Claude Code put that into its queue, or else the turn on the screen.
 */
function interruptedTurn({
  marked,
  seen: { hooks, screen },
  hasNextBegun,
}: Interrupted): Omit<InterruptedTurn, 'above'> | null {
  const turn = marked === null ? null : interruptedTurnOn(marked);
  // The next turn needs a prompt. If none follows, Claude Code has drawn that prompt above the mark.
  if (hasNextBegun && turn?.isFollowed === false && turn.above !== null)
    return { prompt: turn.above, isFollowed: true };
  if (turn !== null) return turn;
  const reported = hooks.prompt?.isQueued === true || hooks.prompt?.isCut === true ? null : hooks.prompt;
  const prompt = reported?.text ?? (screen === null ? null : promptAbove(screen.frame));
  return prompt === null ? null : { prompt, isFollowed: hasNextBegun };
}

/**
 * Records that CBOS no longer does anything that causes messages to be put back. If CBOS typed Esc without learning
 * what it did, the message counts as interrupted only if the status shows that its turn was.
 */
export const finishEnding = (seen: Seen): Change[] =>
  seen.deliveries.recent.flatMap((record): Change[] => {
    const { id, phase } = record;
    if (!isEscPending(record) && phase !== 'answering') return [];
    const isInterrupted = phase === 'interrupting' && seen.status.isInterrupted === true && isOfTurn(record, seen);
    return [isInterrupted ? { id, phase: 'interrupted' } : withoutEffect(record)];
  });

/**
 * Reports whether a message is a prompt of the newest turn. That is not so if a hook has reported another prompt since
 * Claude Code took the message, or, without hooks, if the screen shows another one. A slash command fires no hook.
 */
function isOfTurn(
  record: DeliveryRecord,
  { hooks: { prompt }, screen }: Pick<PromptSeen, 'hooks' | 'screen'>,
): boolean {
  if (prompt === null) return isShownAbove(record, screen?.frame);
  const reported = normalisePrompt(prompt.text);
  const text = normalisePrompt(record.text);
  if (reported === text || (prompt.isCut === true && text.startsWith(reported))) return true;
  // Claude Code takes messages from its queue together. Their prompt contains all of them.
  return (record.intoQueue && reported.includes(text)) || prompt.at <= record.updatedAt;
}

/** Reports whether the last prompt on the screen, above its answer, is this message. */
function isShownAbove({ text }: DeliveryRecord, frame: ScreenFrame | undefined): boolean {
  const shown = frame === undefined ? null : promptAbove(frame);
  return shown !== null && squeeze(shown) === squeeze(text);
}

/** Returns the last prompt on the screen, above its answer, or null if the screen shows none. */
export function promptAbove(frame: ScreenFrame): string | null {
  const [first] = lastTurnOn(frame);
  return first?.kind === 'prompt' ? first.lines.join('\n').slice(1) : null;
}

/**
 * Keeps the record of a prompt that an interrupt put back late, until CBOS can remove that prompt. A view may cover the
 * prompt at the moment.
 */
export const keepReturned = (seen: Seen): Change[] =>
  hasJustInterrupted(seen.deliveries, seen.now.wall) && leftoversOf(seen) !== null
    ? beginEnding(seen.deliveries, 'interrupt')
    : [];
