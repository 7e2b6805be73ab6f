import { lockLimitFor, markTree, type ProcessTrace } from '../../platform/claude/index.ts';
import { lockLimitOf, type ProcessId } from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';
import type { Roster } from './roster.ts';

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
  roster: Pick<Roster, 'all' | 'byLaunch'>;
  onEvent(listener: (event: SessionEvent) => void): Dispose;
  log: Logger;
  /** the pid of the server's own process */
  pid: number;
}): SessionProcesses {
  const { roster, onEvent, log, pid } = options;
  const ceiling = lockLimitOf(pid);
  const marked = new WeakMap<ProcessOwner, string>();
  const limitOf = ({ record }: ProcessOwner): number => lockLimitFor(record.id, ceiling);

  function mark(session: ProcessOwner): void {
    const { agent, daemon, launchId } = session.record;
    if (agent === null || session.isDead()) return;
    const key = `${agent.pid}@${agent.startTime}`;
    if (marked.get(session) === key) return;
    marked.set(session, key);
    // If another program started the Screen session, its other windows belong to the user, not to the session.
    const roots: ProcessId[] = launchId === null || daemon === null ? [agent] : [daemon, agent];
    markTree(roots, limitOf(session)).catch((cause: unknown) =>
      log.warn({ err: cause, slug: session.slug }, "a session's processes could not be marked"),
    );
  }

  const stop = onEvent(() => {
    for (const { actor } of roster.all()) mark(actor);
  });

  return {
    sessionOf: ({ processes, marks, lockLimit }) => {
      for (const { launchId } of marks) {
        const member = roster.byLaunch(launchId);
        if (member !== null) return member.actor.slug;
      }
      const owner = roster.all().find(({ actor }) => {
        const { agent } = actor.record;
        const isBelow = processes.some((one) => agent?.pid === one.pid && agent.startTime === one.startTime);
        return isBelow || (lockLimit !== null && lockLimit === limitOf(actor));
      });
      return owner?.actor.slug ?? null;
    },
    dispose: stop,
  };
}
