import { lockLimitFor, markTrees, type ProcessTrace, type ProcessTree } from '../../platform/claude/index.ts';
import { lockLimitOf, type ProcessId } from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';
import type { ListedSessions } from './listed-sessions.ts';

/** The facts about a session that identify its processes. */
interface ProcessOwner {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'id' | 'agent' | 'daemon' | 'launchId'>;
  isDead(): boolean;
}

/** Finds out which process belongs to which session. */
export interface SessionProcesses {
  /** Returns the session that a process belongs to; null if the process belongs to no listed session. */
  sessionOf(trace: ProcessTrace): string | null;
  dispose: Dispose;
}

/**
 * Marks the processes of each session as soon as they are known, and finds the session that a process belongs to. The
 * environment also identifies the session. However, a process can clear its environment, and a process that another
 * program started has no CBOS variables.
 */
export function createSessionProcesses(options: {
  listed: Pick<ListedSessions, 'all' | 'byLaunch'>;
  onEvent(listener: (event: SessionEvent) => void): Dispose;
  log: Logger;
  /** the pid of the server's own process */
  pid: number;
}): SessionProcesses {
  const { listed, onEvent, log, pid } = options;
  const ceiling = lockLimitOf(pid);
  /** the Claude Code process for which each session was last marked */
  const marked = new WeakMap<ProcessOwner, ProcessId>();
  const limitOf = ({ record }: ProcessOwner): number => lockLimitFor(record.id, ceiling);

  /** Returns the session's processes if they have not been marked yet. */
  function unmarkedOf(session: ProcessOwner): ProcessTree | null {
    const { agent, daemon, launchId } = session.record;
    if (agent === null || agent === marked.get(session) || session.isDead()) return null;
    marked.set(session, agent);
    // If another program started the Screen session, its other windows belong to the user, not to the session.
    const roots = launchId === null || daemon === null ? [agent] : [daemon, agent];
    return { roots, lockLimit: limitOf(session) };
  }

  const stop = onEvent(() => {
    const trees = listed.all().flatMap(({ actor }) => unmarkedOf(actor) ?? []);
    if (trees.length === 0) return;
    markTrees(trees).catch((cause: unknown) => log.warn({ err: cause }, 'processes of sessions could not be marked'));
  });

  return {
    sessionOf: ({ processes, marks, lockLimit }) => {
      for (const { launchId } of marks) {
        const member = listed.byLaunch(launchId);
        if (member !== null) return member.actor.slug;
      }
      const owner = listed.all().find(({ actor }) => {
        const { agent } = actor.record;
        const isBelow = processes.some((one) => agent?.pid === one.pid && agent.startTime === one.startTime);
        return isBelow || (lockLimit !== null && lockLimit === limitOf(actor));
      });
      return owner?.actor.slug ?? null;
    },
    dispose: stop,
  };
}
