import { signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/**
 * How long a question must stand in its place before an input counts for it. The clicks of a slow double click are 500
 * ms apart.
 */
const SETTLED_MS = 500;

/** What stands where on the page with all that needs a person: its sessions and questions in their order. */
export const arrangement = signal('');

/**
 * Whether a question has stood in its place for long enough: else a click or a key was meant for what stood there
 * before.
 * @param cameByItself false: the person has just opened the page that it stands on, and looks at it
 */
export function useSettled(panel: RefObject<HTMLElement | null>, cameByItself: boolean): boolean {
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
    // Counted from the picture that shows it: a busy or hidden page draws late.
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
  return isSettled.value;
}

/** How far it is below the top of its list, however that is scrolled. */
function placeOf(panel: HTMLElement | null): number {
  const list = panel?.closest('.inbox');
  return panel === null || list == null ? 0 : panel.getBoundingClientRect().top - list.getBoundingClientRect().top;
}
