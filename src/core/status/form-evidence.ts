import type { Elicitation } from '../forms/index.ts';
import type { Millis } from './millis.ts';

/** A form of an MCP server that is open, as a control request or a hook reports it. */
export interface OpenForm extends Elicitation {
  /** the id of the control request, or of the hook that waits for the reply */
  id: string;
  askedAt: Millis;
}

/** A form that a hook has reported. */
export interface HookForm extends OpenForm {
  /** identifies the hook that waits for the reply; absent once the form is in the terminal, or closed */
  wait?: string;
  /** when the form's hook ended without an answer, so that Claude Code shows its dialog as soon as no other is open */
  queuedAt?: Millis;
  /** when the form was closed: answered, cancelled by its server, or left without its hook */
  endedAt?: Millis;
  /**
   * from what CBOS concludes that the form was closed, if nothing has reported its end: its hook is gone, or the prompt
   * stayed visible although its dialog should have opened. A dialog that opens later refutes this
   */
  supposed?: 'gone' | 'unshown';
  /**
   * when the notification arrived that follows every end of a form; absent before that. No notification follows an
   * answer that the hook gave (2.1.330), so such a form has this time from the beginning
   */
  toldAt?: Millis;
}
