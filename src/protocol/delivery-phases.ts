export const DELIVERY_STATUSES = ['queued', 'sent', 'delivered', 'unknown', 'cancelled', 'failed'] as const;

/**
 * The phases of a delivery, and the status that each phase belongs to. A phase is recorded before the step that it
 * names, so that the next server can prove which steps a killed server had not taken.
 */
export const DELIVERY_PHASES = {
  /** CBOS holds it, and has not typed any of it */
  held: 'queued',
  /** typed, but a dialog opened before Enter */
  behind_dialog: 'queued',
  /** typed, but a view opened before Enter */
  behind_view: 'queued',
  /** typed, but the prompt also contained an earlier text of CBOS */
  beside_leftover: 'queued',
  /** Claude Code moved it from its own queue back into the prompt */
  put_back: 'queued',
  /** CBOS removed it from the prompt, unsent */
  taken_out: 'queued',
  /** a killed server had typed it, and nobody pressed Enter */
  resumed: 'queued',
  /** its letters may have been typed, but CBOS has certainly not pressed Enter */
  typing: 'sent',
  /** Enter may have been pressed */
  entering: 'sent',
  /** a killed server may have pressed Enter; CBOS is looking for signs */
  looking: 'sent',
  /** a view opened just as Enter was pressed */
  under_view: 'sent',
  /** the session has not read it yet */
  unread: 'sent',
  /** a person removed it from Claude Code's own queue */
  taken_back: 'sent',
  /** Claude Code took it */
  taken: 'delivered',
  /** taken, and CBOS is answering a dialog, which may end its turn */
  answering: 'delivered',
  /** taken, and CBOS is interrupting its turn */
  interrupting: 'delivered',
  interrupted: 'delivered',
  /** Enter was pressed, but the prompt never showed the text */
  never_shown: 'unknown',
  /** a killed server may have pressed Enter, and nothing shows the outcome */
  no_sign: 'unknown',
  /** an error kept it from being sent; see `reason` of the record */
  failed: 'failed',
  /** CBOS removed it from the prompt, and it did not arrive */
  cleared: 'failed',
  /** a killed server had not pressed Enter, and its sender does not rely on the delivery */
  unsent: 'failed',
  /** the session ended first */
  session_ended: 'failed',
  cancelled: 'cancelled',
  /** cancelled after it was typed; it may still be in the prompt, and is removed from there */
  cancelled_typed: 'cancelled',
} as const satisfies Record<string, (typeof DELIVERY_STATUSES)[number]>;
