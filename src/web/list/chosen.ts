import { type ReadonlySignal, signal } from '@preact/signals';

const choosing = signal(false);

/** Whether the list shows a checkbox for each session. */
export const isChoosing: ReadonlySignal<boolean> = choosing;

/**
 * The ticked sessions, including those that have since been removed or filtered out. Before acting on them, a caller
 * must check which ones are visible.
 */
export const ticked = signal<ReadonlySet<string>>(new Set());

export function setChoosing(isOn: boolean): void {
  choosing.value = isOn;
  if (!isOn) ticked.value = new Set();
}

let last: string | null = null;

/**
 * Ticks or unticks a session. @param upTo the slugs in list order; if given, all sessions between the last ticked one
 * and this one are ticked
 */
export function tick(slug: string, upTo: readonly string[] | null = null): void {
  const next = new Set(ticked.peek());
  const isOn = !next.has(slug);
  for (const one of between(slug, upTo)) {
    if (isOn) next.add(one);
    else next.delete(one);
  }
  last = slug;
  choosing.value = true;
  ticked.value = next;
}

function between(slug: string, listed: readonly string[] | null): readonly string[] {
  const [from, to] = [listed?.indexOf(last ?? '') ?? -1, listed?.indexOf(slug) ?? -1];
  if (listed === null || from === -1 || to === -1) return [slug];
  return listed.slice(Math.min(from, to), Math.max(from, to) + 1);
}
