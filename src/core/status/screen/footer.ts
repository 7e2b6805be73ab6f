/**
 * Matches the permission mode, which is in Claude Code's own line below the prompt. From 2.1.250 on, every mode is
 * shown. Up to 2.1.150, the default mode is not.
 */
const MODE = /(?:^|\s)(?:⏸|⏵⏵) \S/;
/** Matches a row of the list of agents, which Claude Code draws below its own line. The model names the agents. */
const AGENT = /^\s*[●◯○] /;

/**
 * Returns the rows below the prompt that Claude Code itself draws. The user's own status line may print anything, such
 * as `esc to interrupt`, on any number of rows. Claude Code draws the status line above its own line (2.1.330). If that
 * line shows no mode, nothing separates the two, and all rows are returned.
 */
export function ownFooter(rows: readonly string[]): readonly string[] {
  const start = rows.findLastIndex((row) => MODE.test(row));
  if (start < 0) return rows;
  const agents = rows.findIndex((row, at) => at > start && AGENT.test(row));
  return rows.slice(start, agents < 0 ? rows.length : agents);
}
