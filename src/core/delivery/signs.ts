import type { DeliveryPhase } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { normalisePrompt, textsInBox } from './box.ts';
import { type Change, type Deliveries, isPromised, statusOf } from './record.ts';
import { isWithin } from './standing.ts';

/**
 * How late a hook may still report that Claude Code took a message, even if the text seemed to be in the prompt and was
 * cleared from it.
 */
const LATE_SIGN_MS = 10_000;

/** The phases in which CBOS knows where the text is, no matter which server is running. */
const WHERE_IT_IS_KNOWN: ReadonlySet<DeliveryPhase> = new Set(['under_view', 'unread', 'taken_back']);

/**
 * Returns the deliveries that make up a prompt reported by a hook: either the oldest one whose text equals the prompt,
 * or several whose texts were in the box together. A held message that was typed before also counts, because a user may
 * have sent it from the box.
 * @param now the current wall-clock time
 */
export function takenBy(prompt: string, { queued, sent, unknown, recent }: Deliveries, now: Millis): Change[] {
  const held = queued.filter(({ phase }) => phase !== 'held');
  const cleared = recent.filter(
    ({ phase, updatedAt }) => (phase === 'cleared' || phase === 'unsent') && isWithin(LATE_SIGN_MS, updatedAt, now),
  );
  // Someone at the terminal may send a refused message again before CBOS has removed it.
  const back = recent.filter(({ phase }) => phase === 'refused_back');
  const seen = normalisePrompt(prompt);
  // On a busy machine, the screen or the registry may show a turn before the hook reports its prompt. The hook does not
  // belong to a message with the same text that is being typed now.
  const isAgain = recent.some(
    (record) =>
      statusOf(record) === 'delivered' &&
      normalisePrompt(record.text) === seen &&
      isWithin(LATE_SIGN_MS, record.updatedAt, now),
  );
  const open = [...unknown, ...sent, ...held, ...cleared, ...back].filter(
    ({ phase, text }) => !(isAgain && phase === 'typing' && normalisePrompt(text) === seen),
  );
  const same = open.findIndex(({ text }) => normalisePrompt(text) === seen);
  const texts = open.map(({ text }) => text);
  const found = same >= 0 ? [same] : (textsInBox(prompt, texts) ?? []);
  return found.flatMap((index) => open[index] ?? []).map(({ id }) => ({ id, phase: 'taken' }));
}

/**
 * Returns the changes for the messages that a server was sending when it was killed. If Enter was not pressed, the
 * message has not arrived. CBOS then sends it, provided that it has promised to; otherwise the delivery has failed. For
 * all other messages, the signs on the screen and in the hooks decide.
 */
export const takeOver = ({ sent }: Deliveries): Change[] =>
  sent.flatMap((record): Change[] => {
    const { id, phase } = record;
    if (statusOf(record) !== 'sent' || WHERE_IT_IS_KNOWN.has(phase)) return [];
    if (phase === 'typing') return [{ id, phase: isPromised(record) ? 'resumed' : 'unsent' }];
    // The time of the Enter keypress is kept, because only transcript entries after that time count.
    return [{ id, phase: 'looking', keepsTime: true }];
  });
