/**
 * Reports whether a string matches a pattern in which `*` matches any characters. For any pattern, the number of steps
 * is at most the product of the two lengths. An equivalent regular expression could take practically forever.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let resumed = 0;
  for (let index = 0; index < text.length; ) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resumed = index;
    } else if (at < pattern.length && pattern[at] === text[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resumed += 1;
      index = resumed;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
