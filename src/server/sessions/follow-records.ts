import { findTranscript, type RegistryRecord, registryEvidence, registryIn } from '../../platform/claude/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { configDirectoriesOf } from '../session/session-conversation.ts';
import { followAgent } from './follow-agent.ts';
import type { ListedSessions, Member } from './listed-sessions.ts';
import { createRegistries } from './registries.ts';

export interface RecordSources {
  listed: ListedSessions;
  clock: Clock;
  log: Logger;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** the directory of Claude Code's registry: `sessions` in Claude Code's configuration directory */
  registryDir: string;
}

/**
 * Passes the records of Claude Code's registries to the sessions that they belong to.
 * @param lookSoon requests a check of Screen's sessions
 */
export function followRecords(options: RecordSources, lookSoon: () => void, isDisposed: () => boolean) {
  const { listed, clock, log } = options;
  const registries = createRegistries({
    onRecord: (record) => void seeRecord(record),
    onGone: seeGone,
    onError: (cause) => log.error({ err: cause }, 'the registry could not be read'),
  });
  /**
   * the last record of each process of which no session is known. The registry reports a record only once, so the
   * record is kept for a session that is found later.
   */
  const unclaimed = new Map<number, RegistryRecord>();

  async function seeRecord(record: RegistryRecord): Promise<void> {
    unclaimed.set(record.pid, record);
    const member = await memberOf(options, record.pid);
    if (member === null) lookSoon();
    // While the session was looked for, a newer record may have come, or the file may have been removed.
    else if (unclaimed.get(record.pid) === record) await takeRecord(member, record);
  }

  /** Gives the kept records to sessions that have been found since. */
  function claim(): void {
    for (const record of unclaimed.values()) {
      const member = memberByPid(listed, record.pid);
      if (member !== undefined) void takeRecord(member, record);
    }
  }

  async function takeRecord({ actor }: Member, record: RegistryRecord): Promise<void> {
    unclaimed.delete(record.pid);
    const { sessionId, version } = record;
    actor.intake.seeRegistry({ ...registryEvidence(record, clock.now()), version });
    if (sessionId === null) return;
    const configDirs = configDirectoriesOf(actor.record, options.environment);
    const transcript = await findTranscript({ sessionId, configDirs, reported: actor.record.reported.transcript });
    if (transcript === null || isDisposed() || actor.record.claudeSessionId !== sessionId) return;
    actor.intake.seeReport({ transcript, isBegun: true });
    actor.intake.seeTranscript(transcript);
  }

  /** Watches the registry of each account that a wrapper has chosen for a session. */
  async function followAccounts(): Promise<void> {
    const sessions = terminals(listed);
    // If no hook reports the account, only the process shows it.
    for (const { actor } of sessions) if (actor.record.hooks === null) actor.intake.seeReport({});
    const dirs = new Set(sessions.map(({ actor }) => actor.record.reported.configDir).filter((dir) => dir !== null));
    if (!isDisposed()) await Promise.all([...dirs].map((dir) => registries.follow(registryIn(dir))));
  }

  function seeGone(pid: number): void {
    unclaimed.delete(pid);
    const member = listed.all().find(({ actor }) => actor.record.agent?.pid === pid);
    member?.actor.intake.seeRegistry(null);
    lookSoon();
  }

  return { follow: registries.follow, followAccounts, claim, dispose: registries.dispose };
}

const terminals = (listed: ListedSessions): Member[] => listed.all().filter(({ actor }) => !actor.isDead());

const memberByPid = (listed: ListedSessions, pid: number): Member | undefined =>
  terminals(listed).find(({ actor }) => actor.record.agent?.pid === pid);

/**
 * Finds the session by its process, or by its Screen session if a wrapper or a person has started Claude Code there.
 */
async function memberOf({ listed, registryDir }: RecordSources, pid: number): Promise<Member | null> {
  const byPid = memberByPid(listed, pid);
  if (byPid !== undefined) return byPid;
  for (const member of terminals(listed)) if (await followAgent(member.actor, pid, registryDir)) return member;
  return null;
}
