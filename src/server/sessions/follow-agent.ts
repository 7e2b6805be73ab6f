import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { registriesOf } from '../../platform/claude/index.ts';
import { findClaudeIn, findRecorded, isClaudeItself, type ScreenSession } from '../../platform/gnu-screen/index.ts';
import { isAlive, isRunning, type ProcessId, processNow } from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import type { SessionStatus } from '../session/session-status.ts';

/** A session in a terminal whose Claude Code may be started by a wrapper, or started again by a person. */
export interface FollowedSession {
  readonly record: Pick<SessionRecord, 'agent' | 'daemon' | 'launchId'>;
  readonly intake: Pick<EvidenceIntake, 'seeAgent' | 'seeAbsent'>;
  readonly status: Pick<SessionStatus, 'startAnew'>;
  isDead(): boolean;
  readonly isChangingHands: boolean;
}

/**
 * Makes a process that a hook or the registry has named the session's Claude Code process, if it is. The process that
 * CBOS launched may be a wrapper, and the wrapper may start Claude Code again. A Claude Code process that a tool of the
 * session has started is not the session's own.
 * @returns whether the session's Claude Code process is this one
 */
export async function followAgent(session: FollowedSession, pid: number, registryDir: string): Promise<boolean> {
  const { agent } = session.record;
  if (agent?.pid === pid) return true;
  const info = processNow(pid);
  if (info === null || !isRunning(info) || !isOfSession(session, pid)) return false;
  const before = agent !== null && (await isAlive(agent)) ? agent : null;
  if (before !== null && isClaudeItself(before.pid) && !isKnownByRegistry(registryDir, pid, before.pid)) return false;
  if (session.isDead() || session.isChangingHands) return false;
  seeNext(session, before, info);
  return true;
}

/**
 * Looks for the session's Claude Code process if the known process has ended or is only a wrapper.
 * @returns `absent` if Claude Code has ended, but the program that started it is still running; `ended` if neither is
 */
export async function seekAgent(
  session: FollowedSession,
  screen: ScreenSession,
): Promise<'alive' | 'absent' | 'ended'> {
  const { agent, launchId } = session.record;
  const before = agent !== null && (await isAlive(agent)) ? agent : null;
  // In a Screen session that another program started, the first process found is Claude Code itself.
  if (before !== null && (launchId === null || isClaudeItself(before.pid))) return 'alive';
  const next = (await findClaudeIn([screen]))[0]?.claude;
  const starter = next === undefined && launchId !== null ? await findRecorded(screen.pid) : null;
  if (session.isDead() || session.isChangingHands || session.record.agent !== agent) return 'alive';
  // The same process found again is no news: it would hide that the daemon is stopped.
  if (next !== undefined && next.pid !== before?.pid) seeNext(session, before, next);
  else if (next === undefined && before === null && starter !== null) session.intake.seeAbsent(starter);
  else if (next === undefined && before === null) return 'ended';
  return before === null && next === undefined ? 'absent' : 'alive';
}

function seeNext(session: FollowedSession, before: ProcessId | null, { pid, startTime }: ProcessId): void {
  // What the previous Claude Code reported says nothing about the next one.
  if (before === null && session.record.agent !== null) session.status.startAnew();
  session.intake.seeAgent({ pid, startTime, startedAt: null });
}

/** Reports whether a process runs in the session's Screen session. */
function isOfSession({ record: { daemon } }: FollowedSession, pid: number): boolean {
  for (let at = processNow(pid); daemon !== null && at !== null && at.ppid > 0; at = processNow(at.ppid)) {
    if (at.ppid === daemon.pid) return processNow(daemon.pid)?.startTime === daemon.startTime;
  }
  return false;
}

/** A wrapper may be a program that is called `claude` as well. Only Claude Code itself has a file in the registry. */
function isKnownByRegistry(registryDir: string, pid: number, otherPid: number): boolean {
  const has = (one: number): boolean =>
    registriesOf(one, registryDir).some((dir) => existsSync(join(dir, `${one}.json`)));
  return has(pid) && !has(otherPid);
}
