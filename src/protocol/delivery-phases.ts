export const DELIVERY_STATUSES = ['queued', 'sent', 'delivered', 'unknown', 'cancelled', 'failed'] as const;

/**
 * The phases of a delivery, with the status that each phase belongs to. A phase is recorded before the step that it
 * names. If a server is killed, the next server can therefore tell which steps have certainly not been taken.
 */
export const DELIVERY_PHASES = {
  /** CBOS holds the message, and has not typed any of it */
  held: 'queued',
  /** the message was typed, but a dialog opened before Enter was pressed */
  behind_dialog: 'queued',
  /** the message was typed, but a view opened before Enter was pressed */
  behind_view: 'queued',
  /** the message was typed, but the prompt also contained earlier text from CBOS */
  beside_leftover: 'queued',
  /** Claude Code moved the message from its own queue back into the prompt */
  put_back: 'queued',
  /** CBOS removed the message from the prompt without sending it */
  taken_out: 'queued',
  /** a server typed the message and was then killed, and nobody has pressed Enter */
  resumed: 'queued',
  /** some of the message may have been typed, but CBOS has certainly not pressed Enter */
  typing: 'sent',
  /** CBOS may have pressed Enter */
  entering: 'sent',
  /** a server may have pressed Enter before it was killed; CBOS is looking for evidence */
  looking: 'sent',
  /** a view opened at the moment when CBOS pressed Enter */
  under_view: 'sent',
  /** Claude Code has queued the message, but the session has not read it yet */
  unread: 'sent',
  /** the user removed the message from Claude Code's own queue */
  taken_back: 'sent',
  /** Claude Code accepted the message */
  taken: 'delivered',
  /** the message was accepted, and CBOS is answering a dialog, which may end the message's turn */
  answering: 'delivered',
  /** the message was accepted, and CBOS has typed Esc; nothing shows yet whether it interrupted the message's turn */
  interrupting: 'delivered',
  interrupted: 'delivered',
  /** the message's turn was interrupted, and CBOS has typed Esc again to interrupt the turn that followed it */
  interrupting_again: 'delivered',
  /** CBOS pressed Enter, but the prompt never showed the message */
  never_shown: 'unknown',
  /** a server may have pressed Enter before it was killed, and nothing shows the outcome */
  no_sign: 'unknown',
  /** an error prevented the message from being sent; see `reason` in the record */
  failed: 'failed',
  /** CBOS removed the message from the prompt; the message did not arrive */
  cleared: 'failed',
  /** a server was killed before it pressed Enter, and CBOS had not promised to deliver the message */
  unsent: 'failed',
  /** Claude Code ended before it began with the message, which CBOS or Claude Code itself held until then */
  session_ended: 'failed',
  /** one of the user's own hooks refused the message, and it is back in the prompt, from which CBOS removes it */
  refused_back: 'failed',
  /** one of the user's own hooks refused the message; see `reason` in the record */
  refused: 'failed',
  cancelled: 'cancelled',
  /** the message was cancelled after it was typed; if it is still in the prompt, CBOS removes it */
  cancelled_typed: 'cancelled',
} as const satisfies Record<string, (typeof DELIVERY_STATUSES)[number]>;

/** Reports whether the turn of a message was interrupted, whatever else CBOS interrupts now. */
export const isTurnInterrupted = ({ phase }: { phase?: string | undefined }): boolean =>
  phase === 'interrupted' || phase === 'interrupting_again';
