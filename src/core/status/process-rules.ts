import type { ProcessEvidence } from './evidence.ts';
import { ALL_VERSIONS, type Rule } from './rule.ts';

const NO_SOCKET =
  "The session's Screen socket is gone, so nothing can be typed into the session; `cbos doctor` shows how to fix it";

/** Rules over what the operating system reports. They override every other source. */
export const PROCESS_RULES: readonly Rule<ProcessEvidence>[] = [
  {
    // This rule comes before all others, because a parked session has no process and a message brings it back.
    id: 'process.parked',
    versions: ALL_VERSIONS,
    read: ({ parkedAt }) =>
      parkedAt === undefined
        ? null
        : { primary: 'idle', detail: 'waiting_input', evidence: 'CBOS has parked the session', since: parkedAt },
  },
  {
    id: 'process.ended',
    versions: ALL_VERSIONS,
    read: ({ alive, startedAt, endedAt }) =>
      alive
        ? null
        : { primary: 'dead', detail: null, evidence: 'the process has ended', since: endedAt ?? startedAt ?? 0 },
  },
  {
    // Hooks and the recording continue, and what they report may be correct. But nobody can answer the session, so the
    // status must not suggest that somebody can.
    id: 'process.unreachable',
    versions: ALL_VERSIONS,
    read: ({ unreachable }) =>
      unreachable?.because === 'no_socket'
        ? { primary: null, detail: null, evidence: NO_SOCKET, since: unreachable.since }
        : null,
  },
  {
    // Nothing is drawn any more either, so the screen still shows the moment before the process was stopped.
    id: 'process.stopped',
    versions: ALL_VERSIONS,
    read: ({ unreachable }) =>
      unreachable?.because === 'stopped'
        ? { primary: null, detail: null, evidence: stoppedText(unreachable.daemonPid), since: unreachable.since }
        : null,
  },
];

const stoppedText = (daemonPid: number): string =>
  `The session's Screen daemon is stopped, so the session neither shows nor reads anything; \`kill -CONT ${daemonPid}\` resumes the daemon`;
