import type { DeliveryPhase } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { normalisePrompt, textsInBox } from './box.ts';
import { type Change, type Deliveries, isPromised, statusOf } from './record.ts';
import { isWithin } from './standing.ts';

/** How late a hook may tell that a text was taken which seemed to be in the prompt, and was cleared away. */
const LATE_SIGN_MS = 10_000;

/** Of these it is known where they are, whichever server runs. */
const WHERE_IT_IS_KNOWN: ReadonlySet<DeliveryPhase> = new Set(['under_view', 'unread', 'taken_back']);

/**
 * What a prompt that a hook tells of is made of: the oldest text that was typed and reads the same, or several that
 * were in the box together. One that is held, and was typed before, a person may have sent from the box.
 * @param now by the wall clock
 */
export function takenBy(prompt: string, { queued, sent, unknown, recent }: Deliveries, now: Millis): Change[] {
  const held = queued.filter(({ phase }) => phase !== 'held');
  const cleared = recent.filter(
    ({ phase, updatedAt }) => (phase === 'cleared' || phase === 'unsent') && isWithin(LATE_SIGN_MS, updatedAt, now),
  );
  const open = [...unknown, ...sent, ...held, ...cleared];
  const seen = normalisePrompt(prompt);
  const same = open.findIndex(({ text }) => normalisePrompt(text) === seen);
  const texts = open.map(({ text }) => text);
  const found = same >= 0 ? [same] : (textsInBox(prompt, texts) ?? []);
  return found.flatMap((index) => open[index] ?? []).map(({ id }) => ({ id, phase: 'taken' }));
}

/**
 * What is known of the texts that a killed server was sending. One whose Enter was not pressed has not arrived: it is
 * sent, or has failed where its sender cannot ask for it again by its key. The signs tell of the others.
 */
export const takeOver = ({ sent }: Deliveries): Change[] =>
  sent.flatMap((record): Change[] => {
    const { id, phase } = record;
    if (statusOf(record) !== 'sent' || WHERE_IT_IS_KNOWN.has(phase)) return [];
    if (phase === 'typing') return [{ id, phase: isPromised(record) ? 'resumed' : 'unsent' }];
    // When Enter was pressed stays written down: what the transcript tells must have come after it.
    return [{ id, phase: 'looking', keepsTime: true }];
  });
