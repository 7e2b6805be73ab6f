import { pagerStep } from './modes/pager-keys.ts';

/** The part of some lines that fits on a page, scrolled by the keys of a pager. */
export interface Pager {
  /** Scrolls by a key. @returns false if the key does not scroll */
  onKey(name: string): boolean;
  toTop(): void;
  /** @returns the visible lines, how many follow them (for a title), and whether the last line is visible */
  show(lines: readonly string[], rows: number): { rows: string[]; more: string; isEnd: boolean };
}

export function createPager(): Pager {
  let top = 0;
  let height = 1;
  let count = 0;
  const scrollTo = (line: number): void => {
    top = Math.max(0, Math.min(count - height, line));
  };
  return {
    onKey(name) {
      const step = pagerStep(name, height);
      if (step !== undefined) scrollTo(top + step);
      return step !== undefined;
    },
    toTop: () => scrollTo(0),
    show(lines, rows) {
      height = rows;
      count = lines.length;
      scrollTo(top);
      return { rows: lines.slice(top, top + rows), more: moreText(count - top - rows), isEnd: top + rows >= count };
    },
  };
}

/** Returns the end of a title that tells how many lines are below the page. */
export const moreText = (lines: number): string => (lines > 0 ? `  (${lines} more lines)` : '');

export interface ListOptions<T> {
  items(): readonly T[];
  /** identifies an item, which stays selected when the items change; if omitted, the position stays selected */
  keyOf?(item: T): unknown;
  /** the key of the item that is selected at first */
  key?: unknown;
  /** the position that is selected at first */
  at?: number;
  /** whether the selected item is shown in the middle, so that its neighbours are always visible */
  isCentred?: boolean;
  /** whether the first item stays selected even if a new one comes before it */
  staysAtTop?: boolean;
}

/** A list from which the user chooses an item. The items may change at any time. */
export interface List<T> {
  /** the position of the selected item, counted from 0 */
  at(): number;
  chosen(): T | undefined;
  move(step: number): void;
  /** Moves the selection by a key. @returns false if the key does not move it */
  onKey(name: string): boolean;
  /** Selects an item, and shows it at the top of the page if there are enough items below it. */
  chooseAtTop(index: number): void;
  /** Returns the items that fit on the page, without the one at the end position. */
  window(rows: number, heightOf?: (index: number) => number): { first: number; end: number };
  /** Draws the items that fit on the page. An item may take several rows. */
  show(rows: number, draw: (item: T, isChosen: boolean) => readonly string[]): string[];
  /** such as `3 of 12` */
  position(): string;
}

export function createList<T>(options: ListOptions<T>): List<T> {
  const { items, keyOf, isCentred = false, staysAtTop = false } = options;
  let { at = 0, key } = options;
  let first = 0;
  let wholeItems = 1;
  const choose = (all: readonly T[], index: number): void => {
    // The items that are selected at first may not have arrived yet.
    if (all.length === 0) return;
    at = Math.max(0, Math.min(all.length - 1, index));
    const item = all[at];
    key = item === undefined || (staysAtTop && at === 0) ? undefined : keyOf?.(item);
  };
  /** Finds the selected item again, because the items may have changed. */
  const follow = (): readonly T[] => {
    const all = items();
    const found = key === undefined ? -1 : all.findIndex((item) => keyOf?.(item) === key);
    choose(all, found === -1 ? at : found);
    return all;
  };
  const move = (step: number): void => choose(follow(), at + step);
  const window: List<T>['window'] = (rows, heightOf = () => 1) => {
    const count = follow().length;
    const place = { count, at, rows, heightOf };
    first = isCentred ? firstAround(place) : firstBeside(place, first);
    const heights: number[] = [];
    let taken = 0;
    for (let index = first; index < count && taken < rows; index++) {
      heights.push(heightOf(index));
      taken += heightOf(index);
    }
    wholeItems = Math.max(1, taken > rows ? heights.length - 1 : heights.length);
    return { first, end: first + heights.length };
  };
  return {
    at() {
      follow();
      return at;
    },
    chosen: () => follow()[at],
    move,
    onKey(name) {
      const step = pagerStep(name, wholeItems);
      if (step !== undefined) move(step);
      return step !== undefined;
    },
    chooseAtTop(index) {
      choose(items(), index);
      first = at;
    },
    window,
    show(rows, draw) {
      const all = follow();
      const drawn = new Map<number, readonly string[]>();
      const rowsOf = (index: number): readonly string[] => {
        const item = all[index];
        const known = drawn.get(index) ?? (item === undefined ? [] : draw(item, index === at));
        drawn.set(index, known);
        return known;
      };
      const shown = window(rows, (index) => rowsOf(index).length);
      return Array.from({ length: shown.end - shown.first }, (_, index) => rowsOf(shown.first + index))
        .flat()
        .slice(0, rows);
    },
    position() {
      const { length } = follow();
      return `${at + 1} of ${length}`;
    },
  };
}

/** A selected item among others, and the rows in which some of them are shown. */
interface Place {
  count: number;
  at: number;
  rows: number;
  heightOf(index: number): number;
}

/** Returns the first item to show, so that the selected one is in the middle and its neighbours are visible. */
export function firstAround(place: Place): number {
  const { at, rows, count } = place;
  return Math.min(firstUpTo(place, at - 1, Math.floor(rows / 2)), firstUpTo(place, count - 1, rows));
}

/** Returns the first item to show, so that the selected one is visible and the view moves as little as possible. */
function firstBeside(place: Place, before: number): number {
  const { at, rows, count } = place;
  return Math.min(at, Math.max(before, firstUpTo(place, at, rows)), firstUpTo(place, count - 1, rows));
}

/** Returns the first of the items that fit into the rows if the given item is the last one. */
function firstUpTo({ heightOf }: Place, last: number, rows: number): number {
  let first = last + 1;
  for (let left = rows; first > 0 && heightOf(first - 1) <= left; first--) left -= heightOf(first - 1);
  return first;
}
