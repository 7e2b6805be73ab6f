import type { Signal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** Binds a text field or a list of choices to a signal. */
export function bind(text: Signal<string>) {
  return {
    value: text.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}

/** Does the work when the user submits a form, instead of having the browser send the form. */
export function submitWith(work: () => unknown) {
  return (event: Event): void => {
    event.preventDefault();
    void work();
  };
}

/** A field of a form, with a label and a hint below the field. */
export function Field(props: { label: string; hint?: string; children: (id: string) => JSX.Element }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      {props.children(id)}
      {props.hint !== undefined && <span class="hint">{props.hint}</span>}
    </div>
  );
}

/** A checkbox that sets a signal, with a label. */
export function Check(props: { checked: Signal<boolean>; class?: string; children: ComponentChildren }) {
  const { checked } = props;
  return (
    <label class={props.class ?? 'row'}>
      <input
        type="checkbox"
        checked={checked.value}
        onChange={({ currentTarget }) => {
          checked.value = currentTarget.checked;
        }}
      />
      <span>{props.children}</span>
    </label>
  );
}

/** A radio button that sets a signal to one of its values. */
export function Radio<T>(props: { name: string; choice: T; chosen: Signal<T>; children: ComponentChildren }) {
  const { name, choice, chosen, children } = props;
  return (
    <label class="form-option">
      <input
        type="radio"
        name={name}
        checked={chosen.value === choice}
        onChange={() => {
          chosen.value = choice;
        }}
      />
      {children}
    </label>
  );
}

/** The label of a choice, and what it means. */
export const ChoiceText = ({ title, about }: { title: string; about: string | null }) => (
  <span class="choice-text">
    <span>{title}</span>
    {about !== null && <span class="choice-about">{about}</span>}
  </span>
);
