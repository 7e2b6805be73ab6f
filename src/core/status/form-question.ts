import {
  type Form,
  type FormField,
  isOpenHere,
  onlyChoice,
  type Question,
  type QuestionOption,
} from '../../protocol/index.ts';
import { fieldTitle } from '../../text/form-words.ts';
import type { Millis } from './millis.ts';

type Unnumbered = Omit<QuestionOption, 'key' | 'description'>;

/** Returns the question that a form asks. Its asker is the MCP server. */
export function formQuestion({ id, message, form, askedAt }: FormSources): Question {
  return {
    id,
    kind: 'form',
    text: message,
    tool: null,
    options: formOptions(form),
    multi: false,
    questions: [],
    form,
    asked_at: new Date(askedAt).toISOString(),
    asker: { kind: 'mcp_server', id: form.server, name: form.server, about: null },
  };
}

export interface FormSources {
  id: string;
  message: string;
  form: Form;
  askedAt: Millis;
}

const DECLINE: Unnumbered = { label: 'Decline', means: 'no' };
/** Esc closes a form in the terminal, and Claude Code tells the server that the user has cancelled it. */
const CLOSE: Unnumbered = { label: 'Close the form', means: 'no' };
const STOP_WAITING: Unnumbered = { label: 'Stop waiting for the server', means: 'no' };

/**
 * Returns the answers to a form that need no values: the values of its only field if there are just a few, or an
 * acceptance if nothing must be filled in. A form can always be declined or, in the terminal, closed.
 */
function formOptions(form: Form): QuestionOption[] {
  const accepting = isOpenHere(form) ? acceptingOptions(form) : [];
  const closing = form.accepted === true ? STOP_WAITING : isOpenHere(form) ? DECLINE : CLOSE;
  return [...accepting, closing].map((option, index) => ({
    key: String(index + 1),
    description: null,
    ...option,
  }));
}

function acceptingOptions(form: Form): Unnumbered[] {
  if (form.mode === 'url') return [{ label: 'Accept: I open the address myself', means: 'yes' }];
  const only = onlyChoice(form);
  if (only !== null) return labelsOf(only).map((label) => ({ label, means: 'choice' }));
  const isFilled = form.fields.every((field) => !field.required || field.default !== undefined);
  const label = form.fields.length === 0 ? 'Accept' : 'Accept the form as it is';
  return isFilled ? [{ label, means: 'yes' }] : [];
}

/** The labels of the options that set the only field of a form, in the order of `valuesOf`. */
const labelsOf = (field: FormField): string[] =>
  field.type === 'boolean'
    ? [`${fieldTitle(field)}: yes`, `${fieldTitle(field)}: no`]
    : (field.choices ?? []).map(({ title }) => title);

/** Returns the value that each option of a form with one field sets. */
export const valuesOf = (field: FormField): readonly unknown[] =>
  field.type === 'boolean' ? [true, false] : (field.choices ?? []).map(({ value }) => value);

/** Describes a form in a verdict. */
export const formEvidence = ({ form, message }: Pick<FormSources, 'form' | 'message'>): string =>
  `MCP server ${form.server}: ${message.trim().split('\n')[0] ?? ''}`;

/** Reports whether a tool is one of a server, or of any server if its name is null. */
export function isToolOf(server: string | null, tool: string): boolean {
  return tool.startsWith(server === null ? 'mcp__' : `mcp__${server.replace(/[^\w-]/g, '_')}__`);
}
