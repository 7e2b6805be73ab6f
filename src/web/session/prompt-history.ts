import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { client } from '../connection/fleet.ts';
import { tellError } from '../parts/toasts.tsx';

/**
 * The prompts that were sent to a session earlier, newest first, and the user's position among them. -1 stands for the
 * text that the user is writing now.
 */
interface Place {
  texts: readonly string[];
  at: number;
  own: string;
}

/** Lets the user recall earlier prompts: ↑ goes back, from an empty field or a recalled prompt, and ↓ goes forward. */
export function usePromptHistory(slug: string, text: Signal<string>): (event: KeyboardEvent) => boolean {
  const place = useRef<Place | null>(null);
  const go = (step: number): void => {
    if (place.current === null) return;
    const { texts, at, own } = place.current;
    const next = at + step;
    const recalled = next === -1 ? own : texts[next];
    if (recalled === undefined || next < -1) return;
    place.current = { texts, at: next, own };
    text.value = recalled;
  };
  const begin = async (): Promise<void> => {
    try {
      const deliveries = await client.call('listDeliveries', { params: { slug } });
      // The user has started to write in the meantime.
      if (text.peek() !== '') return;
      place.current = { texts: [...new Set(deliveries.map((delivery) => delivery.text))], at: -1, own: '' };
      go(1);
    } catch (error) {
      tellError(error);
    }
  };
  return ({ key, shiftKey, altKey, ctrlKey, metaKey }) => {
    const step = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0;
    if (step === 0 || shiftKey || altKey || ctrlKey || metaKey) return false;
    const { current } = place;
    const isRecalled = current !== null && current.at !== -1 && current.texts[current.at] === text.peek();
    if (isRecalled) go(step);
    else if (step === 1 && text.peek() === '') void begin();
    else return false;
    return true;
  };
}
