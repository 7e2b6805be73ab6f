import type { ScreenFrame } from '../status/index.ts';
import { lastTurnOn } from '../status/screen/screen-rules.ts';
import { normalisePrompt, squeeze } from './box.ts';
import { type Change, type Deliveries, type DeliveryRecord, lastTaken, statusOf } from './record.ts';
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
  if (by === 'interrupt') return [{ id: last.id, phase: 'interrupting', keepsTime: true }];
  return isQueued(last) ? [{ id: last.id, phase: 'answering', keepsTime: true }] : [];
}

/**
 * Takes back what {@link beginEnding} has recorded, because the interrupt had no effect. A message that has changed
 * since then stays as it is, for example if a hook has refused it.
 */
export const undoEnding = (before: Deliveries, begun: readonly Change[], { recent }: Deliveries): Change[] =>
  before.recent
    .filter(({ id }) => begun.some((change) => change.id === id))
    .filter(({ id }) => recent.some((record) => record.id === id && record.phase === 'interrupting'))
    .map(({ id, phase }) => ({ id, phase, keepsTime: true }));

/** A turn that CBOS has interrupted. */
export interface Interrupted {
  /** the deliveries when the interrupt began */
  before: Deliveries;
  /** what {@link beginEnding} has recorded */
  begun: readonly Change[];
  /** what was seen of the turn when the interrupt began */
  seen: Pick<PromptSeen, 'hooks' | 'screen'>;
  /** whether another turn has begun, as it does if Claude Code's queue contains a prompt */
  hasNextBegun: boolean;
}

/**
 * Records the interrupt of a turn. If another turn has begun, it has taken the prompts from Claude Code's queue, and
 * the interrupted turn was that of the prompt before them.
 */
export function finishInterrupt({ before, begun, seen, hasNextBegun }: Interrupted, now: Deliveries): Change[] {
  const last = before.recent.find(({ id }) => begun.some((change) => change.id === id));
  if (last === undefined || !isIn(now, last, 'interrupting')) return [];
  if (!hasNextBegun || !last.intoQueue) {
    return isOfTurn(last, seen) ? [{ id: last.id, phase: 'interrupted' }] : undoEnding(before, begun, now);
  }
  const first = before.recent.find((record) => statusOf(record) === 'delivered' && !record.intoQueue);
  const isFirst = first?.phase === 'taken' && isIn(now, first, 'taken') && isShownAbove(first, seen.screen?.frame);
  return [
    { id: last.id, phase: 'taken', intoQueue: false, keepsTime: true },
    ...(isFirst ? [{ id: first.id, phase: 'interrupted' } as const] : []),
  ];
}

const isIn = ({ recent }: Deliveries, { id }: DeliveryRecord, phase: DeliveryRecord['phase']): boolean =>
  recent.some((record) => record.id === id && record.phase === phase);

/**
 * Records that CBOS no longer does anything that causes messages to be put back. If CBOS typed Esc without learning
 * what it did, the message counts as interrupted only if the status shows that its turn was.
 */
export const finishEnding = (seen: Seen): Change[] =>
  seen.deliveries.recent.flatMap((record): Change[] => {
    const { id, phase } = record;
    if (phase !== 'interrupting' && phase !== 'answering') return [];
    const isInterrupted = phase === 'interrupting' && seen.status.isInterrupted === true && isOfTurn(record, seen);
    return [isInterrupted ? { id, phase: 'interrupted' } : { id, phase: 'taken', keepsTime: true }];
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
