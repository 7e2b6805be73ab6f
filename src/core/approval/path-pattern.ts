import { fitsGlob } from './glob.ts';
import { fixedPart, type Places, placeKey } from './places.ts';
import { isWithin } from './rule.ts';

/** Folders and files that determine what Claude Code, Git, or CBOS run. No rule can allow anything there. */
const PROTECTED = /(?:^|\/)(?:\.git|\.claude|\.cbos|\.mcp\.json|\.claude\.json|\.gitmodules|\.envrc)(?:\/|$)/i;

/**
 * Reports whether a path is in a place where nothing may be allowed. If `.git` is a link, its target has another name,
 * so the path as written is checked too.
 * @param home CBOS's own home, with links resolved
 */
export const isProtected = (path: string, place: string, home: string): boolean =>
  PROTECTED.test(path) || PROTECTED.test(place) || isWithin(place, home);

/** How a place relates to a pattern: it matches, it is a folder that may contain matches, or neither. */
export type PathFit = 'fits' | 'holds' | 'no';

export interface PathQuestion {
  place: string;
  /** the folder that the pattern is relative to, with links resolved */
  base: string;
  places: Places;
  /**
   * for an `allow`: what is below a name that `*` matches does not match, and neither does a name outside the folder
   */
  isStrict: boolean;
}

/**
 * Matches a place against a pattern such as `src/**` or `*.pem`. `*` matches a part of one name, and `**` matches any
 * folders. A pattern without `/` matches a name in any folder. Everything below a matching folder matches too.
 */
export function fitsPath(pattern: string, { place, base, places, isStrict }: PathQuestion): PathFit {
  if (!pattern.includes('/')) {
    if (isStrict && !isWithin(place, base)) return 'no';
    const names = namesOf(isWithin(place, base) ? place.slice(base.length) : place);
    const found = isStrict && pattern.includes('*') ? names.slice(-1) : names;
    return found.some((name) => fitsName(pattern, name)) ? 'fits' : 'no';
  }
  const fixed = fixedPart(pattern);
  const root = places.get(placeKey(base, fixed)) ?? null;
  if (root === null) return 'holds';
  if (root !== place && isWithin(root, place)) return 'holds';
  if (!isWithin(place, root)) return 'no';
  return fitsNames(namesOf(pattern.slice(fixed.length)), namesOf(place.slice(root.length)), isStrict);
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

/** Matches the names of a path one after another. */
function fitsNames(pattern: readonly string[], names: readonly string[], isStrict: boolean): PathFit {
  const [first, ...rest] = pattern;
  if (first === undefined) return 'fits';
  if (first === '**') {
    if (rest.length === 0) return 'fits';
    const fits = names.map((_, index) => fitsNames(rest, names.slice(index), isStrict));
    return fits.includes('fits') ? 'fits' : 'holds';
  }
  const [name, ...others] = names;
  if (name === undefined) return 'holds';
  if (!fitsName(first, name)) return 'no';
  if (isStrict && rest.length === 0 && first.includes('*') && others.length > 0) return 'no';
  return fitsNames(rest, others, isStrict);
}

/** Letter case does not count, because some file systems ignore it. */
const fitsName = (pattern: string, name: string): boolean => fitsGlob(pattern.toLowerCase(), name.toLowerCase());
