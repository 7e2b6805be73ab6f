import type { Session } from '../protocol/index.ts';

/** How many letters of a name may be wrong, missing, or extra. */
const MOST_SLIPS = 2;

/**
 * Returns the name that the user probably meant, for a given name that no session has. That is the same name in a
 * different case, a name that begins with the given one, or a name that differs by one or two letters. Returns null if
 * no name, or more than one, is a candidate.
 */
export function nameLike(typed: string, sessions: readonly Pick<Session, 'slug'>[]): string | null {
  const name = typed.toLowerCase();
  const alike = (test: (slug: string) => boolean): string[] =>
    sessions.map(({ slug }) => slug).filter((slug) => test(slug.toLowerCase()));
  const tests: ((slug: string) => boolean)[] = [
    (slug) => slug === name,
    (slug) => name.length > 1 && slug.startsWith(name),
    // With one or two wrong letters, a short name could stand for any other short name.
    (slug) => name.length > MOST_SLIPS + 1 && slips(slug, name) <= MOST_SLIPS,
  ];
  for (const test of tests) {
    const [first, ...others] = alike(test);
    if (first !== undefined) return others.length === 0 ? first : null;
  }
  return null;
}

/** Computes the Levenshtein distance: the number of letters changed, inserted, or deleted. */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
