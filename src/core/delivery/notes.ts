/**
 * How far a text has got at most. Written down before each step that cannot be undone, so that the next server can prove what a killed
 * one had not done: while a text is `typing`, its Enter was certainly not pressed by CBOS.
 */
export const DELIVERY_PHASES = ['waiting', 'typing', 'entering', 'queueing'] as const;
/** `entering` and `queueing`: Enter may have been pressed, with the session ready, or in a turn, for Claude Code's own queue. */
export type DeliveryPhase = (typeof DELIVERY_PHASES)[number];

/** What a delivery says besides its status: the code that is stored and decided by, and the words that people read. */
export const NOTES = {
  inQueue: 'Typed during a turn, into the queue of Claude Code',
  behindDialog: 'A dialog opened before it was sent; it is sent when the session is ready',
  behindView: 'A view covered the prompt before it was sent; it is sent when that is closed',
  underView: 'A view opened as it was sent; where it stands in the prompt when that is closed, it is sent then',
  besideDraft: 'Somebody typed at the same moment; it stands in the prompt beside that, unsent',
  besideLeftover: 'What CBOS had typed before stood in the prompt; it is sent when that is taken out',
  cleared: 'It stood in the prompt unsent and was taken out again; it did not arrive',
  unread: 'The session has not read it yet; it is sent when it shows in the prompt',
  neverShown: 'The prompt never showed it, and nothing says that Claude Code took it',
  interrupting: 'Its turn is being interrupted',
  interrupted: 'Its turn was interrupted',
  answering: 'Typed during a turn, into the queue of Claude Code; an answer may end that turn',
  takenBack: 'Somebody took it out of the queue of Claude Code into the prompt, where it is theirs',
  putBack: 'It came back out of the queue of Claude Code when the turn was ended; it is sent when the session is ready',
  resumed: 'The server ended before it was sent; it is sent when the session is ready',
  unsent: 'The server ended before it was sent; it did not arrive. Send it again',
  looking: 'The server ended when its Enter was typed; whether Claude Code took it shows when the session is ready',
  noSign:
    'Its Enter was typed, and neither the prompt nor a hook nor the transcript tells what became of it; look before you send it again',
  sessionEnded: 'The session ended before it was sent; it did not arrive',
} as const;
export type DeliveryNote = keyof typeof NOTES;
export const DELIVERY_NOTES = Object.keys(NOTES) as [DeliveryNote, ...DeliveryNote[]];
