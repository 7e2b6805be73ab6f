import { SETTING_UP_RULE } from '../../protocol/index.ts';
import type { ProcessEvidence } from './evidence.ts';
import { ALL_VERSIONS, type Rule } from './rule.ts';

const NO_SOCKET =
  "The session's Screen socket no longer exists, so nothing can be typed into the session; `cbos doctor` shows how to fix this";

/** The rules that read what the operating system reports. They override every other source. */
export const PROCESS_RULES: readonly Rule<ProcessEvidence>[] = [
  {
    // This rule precedes all others, because a parked session has no process, and because a message brings the session
    // back.
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
    read: ({ alive, startedAt, endedAt, setUpFailed }) => {
      if (alive) return null;
      const evidence = setUpFailed === undefined ? 'the process has ended' : setUpFailedText(setUpFailed);
      return { primary: 'dead', detail: null, evidence, since: endedAt ?? startedAt ?? 0 };
    },
  },
  {
    // The terminal shows the output of another program, which must not be interpreted like Claude Code's screen.
    id: SETTING_UP_RULE,
    versions: ALL_VERSIONS,
    read: ({ settingUp }) =>
      settingUp === undefined
        ? null
        : { primary: null, detail: null, evidence: `its set-up runs: ${settingUp.command}`, since: settingUp.since },
  },
  {
    // The terminal may show Claude Code's last screen, but another program reads what is typed. If that program starts
    // Claude Code again, held prompts are delivered.
    id: 'process.absent',
    versions: ALL_VERSIONS,
    read: ({ absent }) =>
      absent === undefined ? null : { primary: null, detail: null, evidence: absentText(absent), since: absent.since },
  },
  {
    // Hooks and the recording continue, and what they report may be correct. However, no one can answer the session, so
    // the status must not suggest that someone can.
    id: 'process.unreachable',
    versions: ALL_VERSIONS,
    read: ({ unreachable }) =>
      unreachable?.because === 'no_socket'
        ? { primary: null, detail: null, evidence: NO_SOCKET, since: unreachable.since }
        : null,
  },
  {
    // The terminal no longer draws anything either, so the screen still shows the moment before the process was
    // stopped.
    id: 'process.stopped',
    versions: ALL_VERSIONS,
    read: ({ unreachable }) =>
      unreachable?.because === 'stopped'
        ? { primary: null, detail: null, evidence: stoppedText(unreachable.daemonPid), since: unreachable.since }
        : null,
  },
];

/** Describes how a set-up failed: `the set-up ended with exit code 1, so Claude Code was not started`. */
export function setUpFailedText({ exitCode }: NonNullable<ProcessEvidence['setUpFailed']>): string {
  const how = exitCode === null ? 'did not end on its own' : `ended with exit code ${exitCode}`;
  return `the set-up ${how}, so Claude Code was not started`;
}

const absentText = ({ pid, comm }: NonNullable<ProcessEvidence['absent']>): string =>
  `Claude Code has ended, but the program that started it is still running (${comm}, process ${pid})`;

const stoppedText = (daemonPid: number): string =>
  `The session's Screen daemon is stopped, so the session can neither show nor read anything; \`kill -CONT ${daemonPid}\` resumes the daemon`;
