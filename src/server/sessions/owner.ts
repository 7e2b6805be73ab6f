import { readLaunchMark } from '../../platform/claude/index.ts';
import type { ForeignSession } from '../../platform/gnu-screen/index.ts';
import { otherHomeOf } from '../session/other-home.ts';
import type { ListedSessions, Member } from './listed-sessions.ts';

/** The owner of a Claude Code process on this machine. */
export type Owner =
  | { kind: 'nobody' }
  | { kind: 'listed'; member: Member }
  /** another CBOS home launched the process and lists its session */
  | { kind: 'other_home'; home: string };

const NOBODY: Owner = { kind: 'nobody' };

/**
 * Finds a process's owner by the mark in the process's environment. The mark is more reliable than a name, because a
 * user may rename the Screen session, and two homes may share a Screen directory. A process that this home launched but
 * no longer lists has no owner, so the process can be adopted; see also `bringBack`.
 */
export function ownerOf(listed: Pick<ListedSessions, 'byLaunch'>, home: string, pid: number): Owner {
  const mark = readLaunchMark(pid);
  const member = mark === null ? null : listed.byLaunch(mark.launchId);
  if (member !== null) return { kind: 'listed', member };
  const other = otherHomeOf(pid, home);
  return other === null ? NOBODY : { kind: 'other_home', home: other };
}

/**
 * Finds the owner of a Screen session in which Claude Code is running. The daemon's mark is also checked, because a
 * wrapper may have cleared Claude Code's environment.
 */
export function ownerOfScreen(listed: Pick<ListedSessions, 'byLaunch'>, home: string, found: ForeignSession): Owner {
  const owner = ownerOf(listed, home, found.claude.pid);
  return owner.kind === 'nobody' ? ownerOf(listed, home, found.screen.pid) : owner;
}
