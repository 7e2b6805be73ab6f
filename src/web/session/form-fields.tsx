import { useSignal } from '@preact/signals';
import { type Form, type FormField, isOpenHere, onlyChoice, type Question } from '../../protocol/index.ts';
import { allowedText, fieldTitle } from '../../text/form-words.ts';
import { submitWith } from '../parts/field.tsx';
import type { GiveAnswer } from './question-form.tsx';

/** Returns the form of a question if the page shows its fields; buttons answer a form with one choice. */
export function formToFill({ form }: Question): Form | null {
  if (form === undefined || !isOpenHere(form) || form.fields.length === 0) return null;
  return onlyChoice(form) === null ? form : null;
}

/** What was filled in, by the names of the fields, which may be those of parts of every object (`constructor`). */
type Values = ReadonlyMap<string, unknown>;

/**
 * The fields of an MCP server's form, filled with their defaults. The server of CBOS checks the values, so a wrong one
 * is reported there, with what the field takes.
 */
export function FormFields(props: { form: Form; isDisabled: boolean; isSettled: boolean; onAnswer: GiveAnswer }) {
  const { form, isDisabled, isSettled, onAnswer } = props;
  const values = useSignal<Values>(new Map());
  const set = (name: string, value: unknown): void => {
    const others = [...values.value].filter(([one]) => one !== name);
    values.value = new Map(value === undefined ? others : [...others, [name, value]]);
  };
  return (
    <form
      class="question-form stack"
      onSubmit={submitWith(() => onAnswer({ values: Object.fromEntries(values.value) }))}
    >
      {form.fields.map((field) => (
        <Field key={field.name} {...{ field }} value={values.value.get(field.name)} onChange={set} />
      ))}
      <div>
        <button type="submit" class="button primary" disabled={isDisabled} aria-disabled={!isSettled}>
          Accept
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: FormField;
  /** undefined as long as nobody has set the field */
  value: unknown;
  onChange(name: string, value: unknown): void;
}

function Field(props: FieldProps) {
  const { field } = props;
  const about = [field.description, allowedText(field)].filter((part) => part !== null && part !== '').join(' — ');
  return (
    <fieldset class="stack">
      <legend class="question-text">
        {fieldTitle(field)}
        {field.required && ' (required)'}
      </legend>
      <p class="choice-about">{about}</p>
      <FieldInput {...props} />
    </fieldset>
  );
}

function FieldInput({ field, value, onChange }: FieldProps) {
  const { name, type, choices = [] } = field;
  const shown = value ?? field.default;
  const options = type === 'boolean' ? BOOLEANS : choices;
  if (type === 'boolean' || type === 'choice') {
    return (
      <div class="form-options">
        {options.map((option) => (
          <label key={option.value} class="form-option">
            <input
              type="radio"
              name={name}
              checked={shown !== undefined && String(shown) === option.value}
              onChange={() => onChange(name, option.value)}
            />
            <span>{option.title}</span>
          </label>
        ))}
      </div>
    );
  }
  if (type === 'choices') {
    const chosen = Array.isArray(shown) ? (shown as string[]) : [];
    return (
      <div class="form-options">
        {choices.map((choice) => (
          <label key={choice.value} class="form-option">
            <input
              type="checkbox"
              checked={chosen.includes(choice.value)}
              onChange={({ currentTarget }) => {
                const others = chosen.filter((one) => one !== choice.value);
                onChange(name, currentTarget.checked ? [...others, choice.value] : others);
              }}
            />
            <span>{choice.title}</span>
          </label>
        ))}
      </div>
    );
  }
  return (
    <input
      class="input"
      aria-label={fieldTitle(field)}
      inputMode={type === 'number' || type === 'integer' ? 'decimal' : 'text'}
      autocomplete="off"
      value={shown === undefined ? '' : String(shown)}
      // A field that is emptied counts as not set.
      onInput={({ currentTarget: { value: written } }) => onChange(name, written === '' ? undefined : written)}
    />
  );
}

const BOOLEANS = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
];
