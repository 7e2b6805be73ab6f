export const DELIVERY_STATUSES = ['queued', 'sent', 'delivered', 'unknown', 'cancelled', 'failed'] as const;

/**
 * The phases of a delivery, and the status that each phase belongs to. A phase is recorded before the step that it
 * names, so that the next server can prove which steps a killed server had not taken.
 */
export const DELIVERY_PHASES = {
  /** CBOS holds the message, and has not typed any of it */
  held: 'queued',
  /** typed, but a dialog opened before Enter */
  behind_dialog: 'queued',
  /** typed, but a view opened before Enter */
  behind_view: 'queued',
  /** typed, but the prompt also contained earlier text from CBOS */
  beside_leftover: 'queued',
  /** Claude Code moved the message from its own queue back into the prompt */
  put_back: 'queued',
  /** CBOS removed the message from the prompt, unsent */
  taken_out: 'queued',
  /** a server that was later killed had typed the message, and nobody pressed Enter */
  resumed: 'queued',
  /** its characters may have been typed, but CBOS has certainly not pressed Enter */
  typing: 'sent',
  /** Enter may have been pressed */
  entering: 'sent',
  /** a server that was killed may have pressed Enter; CBOS is looking for signs */
  looking: 'sent',
  /** a view opened just as Enter was pressed */
  under_view: 'sent',
  /** the session has not read the message yet */
  unread: 'sent',
  /** a user removed the message from Claude Code's own queue */
  taken_back: 'sent',
  /** Claude Code took the message */
  taken: 'delivered',
  /** taken, and CBOS is answering a dialog, which may end its turn */
  answering: 'delivered',
  /** taken, and CBOS is interrupting its turn */
  interrupting: 'delivered',
  interrupted: 'delivered',
  /** Enter was pressed, but the prompt never showed the message */
  never_shown: 'unknown',
  /** a server that was killed may have pressed Enter, and nothing shows the outcome */
  no_sign: 'unknown',
  /** an error kept the message from being sent; see `reason` in the record */
  failed: 'failed',
  /** CBOS removed the message from the prompt, and it did not arrive */
  cleared: 'failed',
  /** a server that was killed had not pressed Enter, and the sender does not rely on the delivery */
  unsent: 'failed',
  /** the session ended first */
  session_ended: 'failed',
  cancelled: 'cancelled',
  /** cancelled after it was typed; it may still be in the prompt, and CBOS removes it from there */
  cancelled_typed: 'cancelled',
} as const satisfies Record<string, (typeof DELIVERY_STATUSES)[number]>;
