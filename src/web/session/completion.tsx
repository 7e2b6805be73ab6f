import { type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Completion } from '../../protocol/index.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import { client } from '../connection/fleet.ts';
import { tellError } from '../parts/toasts.tsx';

/**
 * How long to wait after a keypress before requesting suggestions, because the next keypress often follows within this
 * time.
 */
const PAUSE_MS = 80;
const MAX_SHOWN = 8;

/** A word that can be completed, and its position in the text. */
interface Word {
  word: string;
  from: number;
}

export interface Completing {
  items: Signal<readonly Completion[]>;
  /** the index of the chosen suggestion, or -1 if none is chosen, in which case Enter sends the prompt */
  chosen: Signal<number>;
  /** handles a key; call this before anything else handles the key; returns true if the list has handled it */
  handleKey(event: KeyboardEvent): boolean;
  /** updates the suggestions; call this when the text or the position of the cursor has changed */
  look(): void;
  take(item: Completion): void;
  close(): void;
}

/** Completes commands after `/` and files after `@` while the user writes a prompt. */
export function useCompletion(
  slug: string,
  text: Signal<string>,
  field: RefObject<HTMLTextAreaElement | null>,
): Completing {
  const items = useSignal<readonly Completion[]>([]);
  const chosen = useSignal(-1);
  const asked = useSignal<Word | null>(null);

  useEffect(() => {
    items.value = [];
    chosen.value = -1;
    const { value } = asked;
    if (value === null) return;
    let isOld = false;
    const timer = setTimeout(() => {
      client
        .call('completePrompt', { params: { slug }, query: { word: value.word } })
        .then((found) => {
          if (!isOld) items.value = found.items.filter((item) => item.text !== value.word).slice(0, MAX_SHOWN);
        })
        .catch(tellError);
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [slug, asked.value?.word, asked.value?.from]);

  const close = (): void => {
    asked.value = null;
  };
  const take = ({ text: taken }: Completion): void => {
    const { value } = asked;
    if (value === null) return;
    // If a folder was chosen, offer its contents next.
    const ending = taken.endsWith('/') ? '' : ' ';
    const written = `${/\s/.test(taken) ? `@"${taken.slice(1)}"` : taken}${ending}`;
    const rest = text.peek().slice(value.from + value.word.length);
    text.value = `${text.peek().slice(0, value.from)}${written}${rest}`;
    const { current } = field;
    if (current === null) return;
    // Set the text immediately, not at the next redraw, because the user may type the next letter before then.
    current.value = text.peek();
    const end = value.from + written.length;
    current.setSelectionRange(end, end);
    look();
  };
  const look = (): void => {
    const { current } = field;
    const at = current?.selectionStart ?? 0;
    const word = current === null || current.selectionEnd !== at ? null : wordBefore(text.peek(), at);
    const { value } = asked;
    if (word?.word !== value?.word || word?.from !== value?.from) asked.value = word;
  };
  const handleKey = (event: KeyboardEvent): boolean => {
    const { length } = items.value;
    if (length === 0 || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const picked = items.value[Math.max(0, chosen.value)];
    if (step !== 0) chosen.value = (Math.max(chosen.value, step === 1 ? -1 : 0) + step + length) % length;
    else if (picked !== undefined && event.key === 'Tab' && !event.shiftKey) take(picked);
    else if (picked !== undefined && event.key === 'Enter' && !event.shiftKey && chosen.value >= 0) take(picked);
    else if (event.key === 'Escape') close();
    else return false;
    event.preventDefault();
    return true;
  };
  return { items, chosen, handleKey, look, take, close };
}

/**
 * Returns the word that ends at the cursor. A command counts only at the beginning of the text, and a file name only
 * after a space.
 */
function wordBefore(text: string, at: number): Word | null {
  const before = text.slice(0, at);
  if (/^\/\S*$/.test(before)) return { word: before, from: 0 };
  const word = /(?:^|\s)(@[^\s"]*)$/.exec(before)?.[1];
  return word === undefined ? null : { word, from: at - word.length };
}

export function CompletionList({ completing: { items, chosen, take } }: { completing: Completing }) {
  if (items.value.length === 0) return null;
  return (
    <div id="completions" class="completions" role="listbox" aria-label="Completions">
      {items.value.map((item, index) => (
        <div
          key={item.text}
          id={`completion-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen.value}
          onPointerDown={(event) => {
            // Keep the focus in the field.
            event.preventDefault();
            take(item);
          }}
        >
          <span class="mono">{showHiddenMarks(item.text)}</span>
          {item.about !== null && <span class="faint clip grow">{showHiddenMarks(item.about)}</span>}
        </div>
      ))}
    </div>
  );
}
