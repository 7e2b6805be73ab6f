import { isSameHome, readLaunchMark } from '../../platform/claude/index.ts';
import type { ForeignSession } from '../../platform/gnu-screen/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { Member, Roster } from './roster.ts';

/** Whose a Claude Code is that runs on this machine. */
export type Owner =
  | { kind: 'nobody' }
  | { kind: 'listed'; member: Member }
  /** another home of CBOS launched it, and has it in its list */
  | { kind: 'other_home'; home: string };

const NOBODY: Owner = { kind: 'nobody' };

/**
 * Asks the mark in the environment of a process. It says more than any name: a user may rename the Screen session, and
 * two homes may share a Screen directory. What this home launched and lists no more is nobody's, so it can be adopted;
 * see also `bringBack`.
 */
export function ownerOf(roster: Pick<Roster, 'byLaunch'>, home: string, pid: number): Owner {
  const mark = readLaunchMark(pid);
  const member = mark === null ? null : roster.byLaunch(mark.launchId);
  if (member !== null) return { kind: 'listed', member };
  const other = otherHomeOf(pid, home);
  return other === null ? NOBODY : { kind: 'other_home', home: other };
}

/**
 * The same of a Screen session with Claude Code in it. Its daemon is asked too: a wrapper may have cleared Claude
 * Code's environment.
 */
export function ownerOfScreen(roster: Pick<Roster, 'byLaunch'>, home: string, found: ForeignSession): Owner {
  const owner = ownerOf(roster, home, found.claude.pid);
  return owner.kind === 'nobody' ? ownerOf(roster, home, found.screen.pid) : owner;
}

/** The home that launched a process, where that is not this one. */
export function otherHomeOf(pid: number, home: string): string | null {
  const launchedBy = readLaunchMark(pid)?.home ?? null;
  return launchedBy === null || isSameHome(launchedBy, home) ? null : launchedBy;
}

/** What belongs to another home is used there. */
export function belongsToOther(code: 'other_home' | 'session_in_use', what: string, home: string): CatalogueError {
  return new CatalogueError(code, `${what} belongs to another home of CBOS, ${home}`, {
    hint: `CBOS_HOME=${home} cbos ls`,
  });
}

/** A process of Claude Code has the conversation open that somebody wants to go on with. @param home this one */
export function conversationInUse(home: string, pid: number): CatalogueError {
  const other = otherHomeOf(pid, home);
  if (other !== null)
    return belongsToOther('session_in_use', `Process ${pid}, which has the conversation open,`, other);
  return new CatalogueError('session_in_use', `Process ${pid} has the conversation open`, {
    hint: `End it first (kill ${pid}, or leave it with /exit)`,
  });
}
