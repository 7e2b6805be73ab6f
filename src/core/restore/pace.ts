/**
 * The maximum number of launches at once. Launching Claude Code takes one core for one second, so more launches at once
 * would not make any of them ready sooner.
 */
const MOST_AT_ONCE = 3;

/**
 * Returns how many sessions may be restored at the same time: as many as there are free cores, and at least one,
 * because the load may come from something that never ends.
 * @param load how many processes were running or ready to run, on average over the last minute
 */
export function restoresAtOnce({ cores, load }: { cores: number; load: number }): number {
  return Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(cores - load)));
}

/**
 * How many launches in a row may fail. Whatever made three launches fail would make the others fail too, and each
 * failed launch leaves a recording behind.
 */
export const MOST_FAILURES = 3;
