import type { Elicitation } from '../forms/index.ts';
import { isToolOf } from './form-question.ts';
import type { Millis } from './millis.ts';

/** A form of an MCP server that is open, as a control request or a hook reports it. */
export interface OpenForm extends Elicitation {
  /** the id of the control request, or of the hook that waits for the reply */
  id: string;
  askedAt: Millis;
  /** the ids of the server's calls that were running when it asked, and still run; absent if none was known */
  calls?: readonly string[];
}

/** Returns the running calls of the server that asks. Claude Code does not report which of them asks (2.1.330). */
export function askingCalls(
  server: string,
  tools: readonly { id: string | null; name: string }[],
): Pick<OpenForm, 'calls'> {
  const calls = tools.flatMap(({ id, name }) => (id !== null && isToolOf(server, name) ? [id] : []));
  return calls.length === 0 ? {} : { calls };
}

/**
 * Records that calls have ended. A server may leave its form without a word, for example after its own time-out. Claude
 * Code then reports only the end of the call, keeps the form open, and takes an answer that reaches nobody (2.1.330).
 */
export function endCalls<F extends OpenForm>(forms: readonly F[], ended: readonly (string | null)[]): readonly F[] {
  if (!forms.some(({ calls }) => calls?.some((id) => ended.includes(id)) === true)) return forms;
  return forms.map((form): F => {
    const calls = form.calls?.filter((id) => !ended.includes(id));
    if (calls === undefined) return form;
    return calls.length > 0 ? { ...form, calls } : { ...form, calls, form: { ...form.form, call_over: true } };
  });
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
