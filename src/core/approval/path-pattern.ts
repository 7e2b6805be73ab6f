import { fitsGlob } from './glob.ts';
import { fixedPart, type Places, placeKey } from './places.ts';
import { isWithin } from './rule.ts';

/** Folders and files that determine what Claude Code, Git, or CBOS run. No rule can allow anything in these places. */
const PROTECTED = /(?:^|\/)(?:\.git|\.claude|\.cbos|\.mcp\.json|\.claude\.json|\.gitmodules|\.envrc)(?:\/|$)/i;

/**
 * Reports whether a path is in a place where no rule may allow anything. If `.git` is a link, its target has another
 * name, so the path is also checked as written.
 * @param home CBOS's own home, with symbolic links resolved
 */
export const isProtected = (path: string, place: string, home: string): boolean =>
  isProtectedName(path) || isProtectedName(place) || isWithin(place, home);

/** Reports whether a path as written, or a pattern for paths, leads to a place where no rule may allow anything. */
export const isProtectedName = (path: string): boolean => PROTECTED.test(path);

/**
 * How a place relates to a pattern: it matches, it is a folder whose files all match (or it is unknown where the place
 * or the pattern leads), it is a folder that may contain matches, or it is none of these.
 */
export type PathFit = 'fits' | 'perhaps' | 'holds' | 'no';

export interface PathQuestion {
  place: string;
  /** the folder that the pattern is relative to, with symbolic links resolved */
  base: string;
  places: Places;
  /**
   * true for an `allow`: the pattern then matches neither the contents of a folder that only `*` matches, nor a name
   * outside the folder
   */
  isStrict: boolean;
}

/**
 * Matches a place against a pattern such as `src/**` or `*.pem`. `*` matches part of a single name, and `**` matches
 * any number of folders. A pattern without `/` matches a name in any folder. Everything below a matching folder also
 * matches.
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
  if (root === null) return 'perhaps';
  const [at, from] = isStrict ? [place, root] : [place.toLowerCase(), root.toLowerCase()];
  if (from !== at && isWithin(from, at)) return 'holds';
  if (!isWithin(at, from)) return 'no';
  return fitsNames(namesOf(pattern.slice(fixed.length)), namesOf(at.slice(from.length)), isStrict);
}

const namesOf = (path: string): string[] => path.split('/').filter((name) => name !== '');

/** Matches the names in a path one by one. */
function fitsNames(pattern: readonly string[], names: readonly string[], isStrict: boolean): PathFit {
  const [first, ...rest] = pattern;
  if (first === undefined) return 'fits';
  if (first === '**') {
    if (rest.length === 0) return 'fits';
    const fits = names.map((_, index) => fitsNames(rest, names.slice(index), isStrict));
    return fits.includes('fits') ? 'fits' : 'holds';
  }
  const [name, ...others] = names;
  if (name === undefined) return first === '*' && rest.length === 0 ? 'perhaps' : 'holds';
  if (!fitsName(first, name)) return 'no';
  if (isStrict && rest.length === 0 && first.includes('*') && others.length > 0) return 'no';
  return fitsNames(rest, others, isStrict);
}

/** The comparison ignores letter case, because some file systems do. */
const fitsName = (pattern: string, name: string): boolean => fitsGlob(pattern.toLowerCase(), name.toLowerCase());
