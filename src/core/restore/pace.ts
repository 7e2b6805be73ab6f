/**
 * The maximum number of simultaneous launches. Launching Claude Code keeps one core busy for a second, so launching
 * more at once would not make any of them ready sooner.
 */
const MOST_AT_ONCE = 3;

/**
 * Returns how many sessions may be restored at the same time. This is the number of free cores, but at least one,
 * because the load may come from something that never ends.
 * @param load the average number of processes that were running or ready to run during the last minute
 */
export function restoresAtOnce({ cores, load }: { cores: number; load: number }): number {
  return Math.min(MOST_AT_ONCE, Math.max(1, Math.floor(cores - load)));
}

/**
 * How many launches in a row may fail. If three launches have failed, the others would fail for the same reason, and
 * each failed launch leaves a recording behind.
 */
export const MOST_FAILURES = 3;
