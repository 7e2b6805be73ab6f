/** A start of Claude Code takes a second of one core: with more at once, none of them is there sooner. */
const MOST_AT_ONCE = 3;

/**
 * How many sessions may be on their way back now: as many as cores are free, and always one, because the load may
 * come from something that never ends.
 * @param load how many processes run or want to, on average over the last minute
 */
export function restoresAtOnce({ cores, load }: { cores: number; load: number }): number {
  return Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(cores - load)));
}

/**
 * How many launches may fail one after the other. What ends three of them would end the others as well, and each
 * leaves a recording behind.
 */
export const MOST_FAILURES = 3;
