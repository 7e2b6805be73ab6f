export const DELIVERY_STATUSES = ['queued', 'sent', 'delivered', 'unknown', 'cancelled', 'failed'] as const;

/**
 * Where a text is on its way, and the status that the phase belongs to. A phase is written down before the step that it
 * names, so that the next server can prove what a killed one had not done.
 */
export const DELIVERY_PHASES = {
  /** CBOS holds it; nothing of it was typed */
  held: 'queued',
  /** typed; a dialog opened before Enter */
  behind_dialog: 'queued',
  /** typed; a view opened before Enter */
  behind_view: 'queued',
  /** typed; an earlier text of CBOS was in the prompt too */
  beside_leftover: 'queued',
  /** Claude Code put it back out of its own queue */
  put_back: 'queued',
  /** CBOS took it out of the prompt, unsent */
  taken_out: 'queued',
  /** a killed server had typed it; nobody pressed Enter */
  resumed: 'queued',
  /** its letters may have been typed; Enter was certainly not pressed by CBOS */
  typing: 'sent',
  /** Enter may have been pressed */
  entering: 'sent',
  /** a killed server may have pressed Enter: the signs are looked for */
  looking: 'sent',
  /** a view opened as Enter was pressed */
  under_view: 'sent',
  /** the session has not read it yet */
  unread: 'sent',
  /** a person took it out of Claude Code's own queue */
  taken_back: 'sent',
  /** Claude Code took it */
  taken: 'delivered',
  /** taken; CBOS is answering a dialog, and an answer may end its turn */
  answering: 'delivered',
  /** taken; CBOS is interrupting its turn */
  interrupting: 'delivered',
  interrupted: 'delivered',
  /** Enter was pressed, and the prompt never showed the text */
  never_shown: 'unknown',
  /** a killed server may have pressed Enter, and nothing says what became of it */
  no_sign: 'unknown',
  /** an error kept it from being sent, see `reason` of the record */
  failed: 'failed',
  /** CBOS took it out of the prompt; it did not arrive */
  cleared: 'failed',
  /** a killed server had not pressed Enter, and its sender does not count on it */
  unsent: 'failed',
  /** the session ended first */
  session_ended: 'failed',
  cancelled: 'cancelled',
  /** cancelled after it was typed: it may still be in the prompt, and is taken out */
  cancelled_typed: 'cancelled',
} as const satisfies Record<string, (typeof DELIVERY_STATUSES)[number]>;
