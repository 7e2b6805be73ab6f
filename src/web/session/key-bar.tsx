import { useSignal } from '@preact/signals';

const ESC = '\u001b';
/** The keys of the bar, most frequently used first. On a narrow phone, the user has to scroll to see the last two. */
const KEYS: readonly { name: string; label: string; keys: string }[] = [
  { name: 'Escape', label: 'Esc', keys: ESC },
  { name: 'Up', label: '↑', keys: `${ESC}[A` },
  { name: 'Down', label: '↓', keys: `${ESC}[B` },
  { name: 'Enter', label: '⏎', keys: '\r' },
  { name: 'Tab', label: 'Tab', keys: '\t' },
  { name: 'Shift Tab', label: '⇤', keys: `${ESC}[Z` },
  { name: 'Left', label: '←', keys: `${ESC}[D` },
  { name: 'Right', label: '→', keys: `${ESC}[C` },
];

/** The letters that users press together with Ctrl in Claude Code. */
const WITH_CONTROL: readonly { letter: string; about: string }[] = [
  { letter: 'C', about: 'stop, clear' },
  { letter: 'D', about: 'end of input' },
  { letter: 'O', about: 'details' },
  { letter: 'R', about: 'history' },
  { letter: 'T', about: 'to-dos' },
  { letter: 'U', about: 'clear the line' },
];

/** A bar with the keys that a phone's keyboard lacks. */
export function KeyBar({ onKeys }: { onKeys: (keys: string) => void }) {
  const isControl = useSignal(false);
  // Keep the focus where it is, because otherwise a phone would close its keyboard.
  const keepFocus = (event: Event): void => event.preventDefault();
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <button
        type="button"
        class="button"
        aria-pressed={isControl.value}
        onPointerDown={keepFocus}
        onClick={() => {
          isControl.value = !isControl.value;
        }}
      >
        Ctrl
      </button>
      {isControl.value
        ? WITH_CONTROL.map(({ letter, about }) => (
            <button
              key={letter}
              type="button"
              class="button"
              aria-label={`Ctrl ${letter}, ${about}`}
              onPointerDown={keepFocus}
              onClick={() => {
                isControl.value = false;
                onKeys(String.fromCharCode(letter.charCodeAt(0) - 64));
              }}
            >
              {letter}
            </button>
          ))
        : KEYS.map(({ name, label, keys }) => (
            <button
              key={name}
              type="button"
              class="button"
              aria-label={name}
              onPointerDown={keepFocus}
              onClick={() => onKeys(keys)}
            >
              {label}
            </button>
          ))}
    </div>
  );
}
