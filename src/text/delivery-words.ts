import type { DeliveryPhase } from '../protocol/index.ts';

const IN_QUEUE = "Typed during a turn, into Claude Code's own queue";

/** What became of a text that its status does not say; null where there is no more to say. */
const NOTES: Readonly<Partial<Record<DeliveryPhase, string>>> = {
  behind_dialog: 'A dialog opened before it was sent; CBOS sends it when the session is ready',
  behind_view: 'A view covered the prompt before it was sent; CBOS sends it when the view is closed',
  beside_leftover: 'An earlier text of CBOS was still in the prompt; CBOS sends it once that is taken out',
  put_back: "It came back out of Claude Code's queue when the turn ended; CBOS sends it when the session is ready",
  taken_out: 'It was still in the prompt, unsent, and CBOS took it out; CBOS sends it when the session is ready',
  resumed: 'The server ended before it was sent; CBOS sends it when the session is ready',
  looking: 'The server ended while it pressed Enter; whether Claude Code took it shows when the session is ready',
  under_view: 'A view opened as it was sent; if it is still in the prompt when the view closes, CBOS sends it then',
  unread: 'The session has not read it yet; CBOS sends it when it shows in the prompt',
  taken_back: "Somebody took it out of Claude Code's queue into the prompt; it is theirs now",
  answering: `${IN_QUEUE}; an answer may end that turn`,
  interrupting: 'Its turn is being interrupted',
  interrupted: 'Its turn was interrupted',
  never_shown: 'The prompt never showed it, and nothing says that Claude Code took it',
  no_sign:
    'Enter was pressed, but neither the prompt nor a hook nor the transcript says what became of it. Look before you send it again',
  cleared: 'It was still in the prompt, unsent, and CBOS took it out; it did not arrive',
  unsent: 'The server ended before it was sent; it did not arrive. Send it again',
  session_ended: 'The session ended before it was sent; it did not arrive',
};

/** @param reason why it failed, in the words of an error */
export function deliveryNote(phase: DeliveryPhase, intoQueue: boolean, reason: string | null): string | null {
  if (intoQueue && (phase === 'entering' || phase === 'taken')) return IN_QUEUE;
  return NOTES[phase] ?? reason;
}
