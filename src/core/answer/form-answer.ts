import { type Answer, type Form, onlyChoice, type Question, takesNumbers } from '../../protocol/index.ts';
import { fillForm, type GivenValues } from '../forms/index.ts';
import { valuesOf } from '../status/index.ts';

/** How a form is answered. `cancel` closes it without an answer, as Esc does in Claude Code's own dialog. */
export type FormPlan =
  | { kind: 'form'; action: 'accept'; content: Readonly<Record<string, unknown>> }
  | { kind: 'form'; action: 'decline' | 'cancel' };

type Refusal = {
  kind: 'refuse';
  code: 'no_such_option' | 'invalid_values' | 'form_at_terminal' | 'form_left';
  message: string;
};

const refuse = (message: string): Refusal => ({ kind: 'refuse', code: 'no_such_option', message });

export interface FormReply {
  action: FormPlan['action'];
  content?: Readonly<Record<string, unknown>>;
}

/** Returns what Claude Code gets as the answer to a form, both in a JSON session and from a hook. */
export const formReply = (plan: FormPlan): FormReply =>
  plan.action === 'accept' ? { action: plan.action, content: plan.content } : { action: plan.action };

/** Works out what an answer to a form means. Everything that accepts the form must be allowed by its fields. */
export function planForm(question: Question, form: Form, answer: Answer): FormPlan | Refusal {
  const { choice, text, answers, values } = answer;
  if (answers !== undefined) return refuse('A form is filled in by the names of its fields, with `values`');
  if (form.call_over === true && choice !== 'no' && choice !== 'cancel') {
    return {
      kind: 'refuse',
      code: 'form_left',
      message: `The answer comes too late: the call in which the MCP server ${form.server} asked has ended`,
    };
  }
  if (typeof choice === 'number' && !takesNumbers(question))
    return refuse('A number cannot answer this form; set its fields, or say no');
  const word = typeof choice === 'number' ? (question.options[choice - 1]?.means ?? 'missing') : choice;
  if (word === 'no' || word === 'cancel') {
    if (text !== undefined || values !== undefined)
      return refuse('A form that is declined takes neither text nor values');
    return { kind: 'form', action: word === 'no' ? 'decline' : 'cancel' };
  }
  if (form.at_terminal === true) {
    return { kind: 'refuse', code: 'form_at_terminal', message: "The form is open in the session's terminal" };
  }
  if (word === 'missing')
    return refuse(`Option ${choice} does not exist; the options are 1 to ${question.options.length}`);
  if (word === 'always' || Array.isArray(word)) return refuse('A form takes values, yes, no, or one of its options');
  if (word !== undefined && text !== undefined) return refuse('A form takes no text beside its values');
  const chosen = typeof choice === 'number' && word === 'choice' ? chosenValue(form, choice) : {};
  const said = text === undefined ? {} : saidValue(form, text);
  if (said === null) {
    return refuse(
      form.fields.length === 0 ? 'This form takes yes or no' : 'This form has several fields; set each by its name',
    );
  }
  const filled = fillForm(form, { ...chosen, ...said, ...values });
  if ('content' in filled) return { kind: 'form', action: 'accept', content: filled.content };
  return { kind: 'refuse', code: 'invalid_values', message: `Nothing was sent: ${filled.problems.join('; ')}` };
}

/** Returns the value that an option of a form with one field sets. */
function chosenValue(form: Form, choice: number): GivenValues {
  const field = onlyChoice(form);
  return field === null ? {} : { [field.name]: valuesOf(field)[choice - 1] };
}

/** Returns the value that a text sets, or null if the form does not have exactly one field. */
function saidValue({ fields: [field, ...others] }: Form, text: string): GivenValues | null {
  return field === undefined || others.length > 0 ? null : { [field.name]: text };
}
