import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** How many rows to draw beyond the visible edges, in case the user scrolls quickly. */
const MORE_ROWS = 20;
/** The height to assume until the box has been measured. */
const FIRST_HEIGHT_PX = 800;

interface VirtualListProps {
  /** the name of the list, for screen readers */
  label: string;
  class: string;
  count: number;
  /** the height of every row */
  rowHeightPx: number;
  /** the row that must be scrolled into view */
  shown?: number;
  row(index: number): ComponentChildren;
}

/** A list of any length. Only visible rows have elements, so 100,000 rows take no more resources than 50. */
export function VirtualList({ label, count, rowHeightPx, shown, row, ...rest }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: FIRST_HEIGHT_PX });
  const measure = (): void => {
    const { current } = box;
    if (current === null) return;
    const { scrollTop: top, clientHeight: height } = current;
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };
  useLayoutEffect(() => {
    if (box.current === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || shown === undefined || shown < 0) return;
    const top = shown * rowHeightPx;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + rowHeightPx > current.scrollTop + current.clientHeight)
      current.scrollTop = top + rowHeightPx - current.clientHeight;
  }, [shown, rowHeightPx]);
  const first = Math.max(0, Math.floor(view.top / rowHeightPx) - MORE_ROWS);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeightPx) + MORE_ROWS);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it, too
    <section {...rest} ref={box} tabIndex={0} aria-label={label} onScroll={measure}>
      <div class="virtual" style={{ height: `${count * rowHeightPx}px` }}>
        <div class="virtual-rows" style={{ transform: `translateY(${first * rowHeightPx}px)` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, at) => row(first + at))}
        </div>
      </div>
    </section>
  );
}
