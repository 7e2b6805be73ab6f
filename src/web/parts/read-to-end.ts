import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The tolerance for pixels that are rounded because the page is zoomed. */
const CLOSE_PX = 2;

/**
 * Reports whether the user has seen the whole content. Everything in it that can be scrolled must have been scrolled to
 * its end.
 */
export function useReadToEnd(body: RefObject<HTMLElement | null>): boolean {
  const isRead = useSignal(true);
  /** the height that each element had when the user scrolled to its end, because an element that grows has a new end */
  const reached = useRef(new WeakMap<Element, number>());
  const look = (): void => {
    const { current } = body;
    if (current === null) return;
    let isAll = true;
    for (const element of [current, ...current.querySelectorAll('pre')]) {
      const { scrollTop, clientHeight, scrollHeight } = element;
      if (scrollTop + clientHeight >= scrollHeight - CLOSE_PX) reached.current.set(element, scrollHeight);
      if ((reached.current.get(element) ?? 0) < scrollHeight - CLOSE_PX) isAll = false;
    }
    isRead.value = isAll;
  };
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const { current } = body;
    if (current === null) return;
    // Listen in the capture phase, because scroll events do not bubble.
    current.addEventListener('scroll', look, true);
    const sizes = new ResizeObserver(look);
    sizes.observe(current);
    return () => {
      current.removeEventListener('scroll', look, true);
      sizes.disconnect();
    };
  }, []);
  return isRead.value;
}
