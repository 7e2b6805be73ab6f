import { useRef } from 'preact/hooks';

/**
 * Returns the ids of the questions that have been open ever since a place was opened. A user who opens a place expects
 * what it shows then. A question that comes later, also one that was open before and comes back, may appear under a
 * click or a key that was meant for something else.
 * @param place what was opened; another place begins anew
 * @param open the ids of the questions that are open now, or null if they are not known yet
 */
export function useOpenSinceFirst(place: string, open: readonly string[] | null): ReadonlySet<string> | null {
  const first = useRef<{ place: string; ids: ReadonlySet<string> } | null>(null);
  if (open === null) return null;
  const before = first.current?.place === place ? first.current.ids : null;
  const ids = new Set(before === null ? open : open.filter((id) => before.has(id)));
  // The set stays the same object as long as it does not change, so that nothing is drawn again.
  if (before === null || before.size !== ids.size) first.current = { place, ids };
  return first.current?.ids ?? null;
}
