import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';

/** Binds a text field to a signal. */
export function bind(text: Signal<string>) {
  return {
    value: text.value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}

/** A field of a form, with its label and a hint below. */
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
