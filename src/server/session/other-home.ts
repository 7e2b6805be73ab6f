import { isSameHome, readLaunchMark } from '../../platform/claude/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';

/** Returns the home that launched a process; null if this home or no home launched it. */
export function otherHomeOf(pid: number, home: string): string | null {
  const launchedBy = readLaunchMark(pid)?.home ?? null;
  return launchedBy === null || isSameHome(launchedBy, home) ? null : launchedBy;
}

/** Returns the error for a session or a process that belongs to another home and can only be used there. */
export function belongsToOther(code: 'other_home' | 'session_in_use', what: string, home: string): CatalogueError {
  return new CatalogueError(code, `${what} belongs to another CBOS home, ${home}`, {
    hint: `Use that home, as in \`CBOS_HOME=${shellWord(home)} cbos ls\``,
  });
}

/** Returns the error for a conversation that a running Claude Code process has open. @param home this home */
export function conversationInUse(home: string, pid: number): CatalogueError {
  const other = otherHomeOf(pid, home);
  if (other !== null)
    return belongsToOther('session_in_use', `Process ${pid}, which has the conversation open,`, other);
  return new CatalogueError('session_in_use', `Process ${pid} has the conversation open`, {
    hint: `Stop that process first (kill ${pid}, or type /exit in it)`,
  });
}
