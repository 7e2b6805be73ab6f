import { type Form, type FormField, openQuestions, type Question, type Session } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanLine } from './terminal-text.ts';

/** Tells a user who pressed a number that the open form has no options with numbers. */
export const NO_NUMBERS_TEXT = 'No number answers this form; n declines it';

/** Cleans a text that an MCP server has chosen. */
const plain = (text: string): string => cleanLine(showHiddenMarks(text));

/** Says which values a field takes, such as `a whole number from 1 to 5`. */
export function allowedText(field: FormField): string {
  const { min, max, choices = [] } = field;
  switch (field.type) {
    case 'boolean':
      return 'true or false';
    case 'number':
      return `a number${rangeText(min, max)}`;
    case 'integer':
      return `a whole number${rangeText(min, max)}`;
    case 'choice':
      return `one of ${choicesText(choices)}`;
    case 'choices':
      return `${countText(min, max)} of ${choicesText(choices)}`;
    case 'text':
      return `${field.format === undefined ? 'text' : FORMAT_WORDS[field.format]}${lengthText(min, max)}`;
    case 'other':
      return 'any JSON value';
  }
}

const FORMAT_WORDS: Readonly<Record<NonNullable<FormField['format']>, string>> = {
  email: 'an e-mail address',
  uri: 'a URL',
  date: 'a date such as 2026-11-28',
  'date-time': 'a time such as 2026-11-28T20:00:00Z',
};

type Bound = number | undefined;

function rangeText(min: Bound, max: Bound): string {
  if (min !== undefined) return max === undefined ? ` from ${min}` : ` from ${min} to ${max}`;
  return max === undefined ? '' : ` up to ${max}`;
}

function countText(min: Bound, max: Bound): string {
  if (max === undefined) return min === undefined || min === 0 ? 'any number' : `at least ${min}`;
  return min === undefined || min === 0 ? `up to ${max}` : min === max ? String(min) : `${min} to ${max}`;
}

function lengthText(min: Bound, max: Bound): string {
  if (max !== undefined) return ` of ${countText(min, max)} characters`;
  return min === undefined || min === 0 ? '' : ` of at least ${min} characters`;
}

const choicesText = (choices: NonNullable<FormField['choices']>): string =>
  choices.map(({ value, title }) => (value === title ? plain(value) : `${plain(value)} (${plain(title)})`)).join(', ');

/** Returns the name of a field for people: its title, or its name if it has none. */
export const fieldTitle = ({ title, name }: FormField): string => plain(title === null || title === '' ? name : title);

/** Returns a field's default as text, or null if the field has none. */
export function defaultText({ default: value }: FormField): string | null {
  if (value === undefined) return null;
  return plain(Array.isArray(value) ? value.join(', ') : String(value));
}

/** Returns lines about each field: its name, what it takes, whether it is required, and the server's words about it. */
function fieldLines({ fields }: Form): string[] {
  return fields.flatMap((field) => {
    const { name, title, description, required } = field;
    const usual = defaultText(field);
    const notes = [
      allowedText(field),
      ...(required && usual === null ? ['required'] : []),
      ...(usual === null ? [] : [`default: ${usual}`]),
    ].join('; ');
    const about = [title === name ? null : title, description].filter((part) => part !== null && part !== '');
    return [`${plain(name)}: ${notes}`, ...about.map((part) => `  ${plain(part ?? '')}`)];
  });
}

/** Returns lines with everything that a form asks beside its message: its state, its address, and its fields. */
export function formLines(form: Form): string[] {
  const state = formStateText(form);
  return [
    ...(state === '' ? [] : [state]),
    ...(form.url === undefined ? [] : [`Address: ${plain(form.url)}`]),
    ...fieldLines(form),
  ];
}

/** Says in which state a form is, or returns an empty string if it only waits for an answer. */
export function formStateText({
  at_terminal: isAtTerminal,
  accepted,
  left,
  call_over: isCallOver,
  server,
}: Form): string {
  const who = `the MCP server ${plain(server)}`;
  if (accepted === true)
    return `The user has accepted, and Claude Code waits until ${who} confirms that the user is done there.`;
  if (isCallOver === true) return `The call in which ${who} asked has ended, so an answer would come too late.`;
  const over = left === true ? `The turn is over, and ${who} may no longer wait for this form.` : '';
  const where =
    isAtTerminal === true ? "The form is open in the session's terminal, and can be filled in only there." : '';
  return [over, where].filter((part) => part !== '').join(' ');
}

/** Returns the open forms if nothing else is asked. Questions whose dialogs open only later do not count. */
export function onlyForms(questions: readonly Question[]): readonly Question[] {
  const shown = questions.filter(({ behind }) => behind !== true);
  return shown.every(({ kind }) => kind === 'form') ? shown : [];
}

/** Reports whether an interrupt closes a form, and not the turn. In a JSON session, it ends the turn. */
export function interruptClosesForm({ type, status }: Pick<Session, 'type' | 'status'>): boolean {
  return type === 'screen' && onlyForms(openQuestions(status)).length > 0;
}
