import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * How long a question must have been in its place before input counts as an answer. The clicks of a slow double click
 * are 500 ms apart.
 */
const SETTLED_MS = 500;

/** The arrangement of the items on the page that need attention: their sessions and questions, in order. */
export const arrangement = signal('');

/**
 * Reports whether a question has been in its place for long enough. If not, a click or a key was meant for what was
 * there before.
 * @param cameByItself whether the question appeared on its own; false if the user has just opened the page and expects
 * the question
 * @param added anything that moves the buttons or gives them their keys when it changes, such as what is added to the
 * question later, or the other questions that are shown
 */
export function useSettled(
  panel: RefObject<HTMLElement | null>,
  cameByItself: boolean,
  ...added: readonly unknown[]
): boolean {
  const isSettled = useSignal(!cameByItself);
  const place = useRef<number | null>(null);
  const timer = useRef(0);
  const frame = useRef(0);
  const stop = (): void => {
    cancelAnimationFrame(frame.current);
    window.clearTimeout(timer.current);
  };
  const settle = (): void => {
    isSettled.value = false;
    stop();
    // Measure the time from the animation frame that shows the question, because a busy or hidden page draws late.
    frame.current = requestAnimationFrame(() => {
      timer.current = window.setTimeout(() => {
        isSettled.value = true;
      }, SETTLED_MS);
    });
  };
  useEffect(() => {
    if (!isSettled.peek()) settle();
    return stop;
  }, []);
  useLayoutEffect(() => {
    const now = placeOf(panel.current);
    if (place.current !== null && place.current !== now) settle();
    place.current = now;
  }, [arrangement.value]);
  const before = useRef(added);
  useLayoutEffect(() => {
    if (before.current.some((one, index) => one !== added[index])) settle();
    before.current = added;
  }, [...added]);
  return isSettled.value;
}

/** Returns the question's distance from the top of its list, regardless of scrolling. */
function placeOf(panel: HTMLElement | null): number {
  const list = panel?.closest('.inbox');
  return panel === null || list == null ? 0 : panel.getBoundingClientRect().top - list.getBoundingClientRect().top;
}
