import { rosterSubject, versionGap } from '../../core/machines/index.ts';
import type { NatsLink } from '../../platform/nats/index.ts';
import { CatalogueError, type Member, Roster, type WireVersion } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { type AskOptions, ask } from './ask-machine.ts';
import type { MembershipFiles } from './membership.ts';

/** The pause before the founder tries again to store the list. Storing fails while the cluster is electing a leader. */
const STORE_AGAIN_MS = 1_000;

export interface RosterKeeper {
  current(): Roster;
  /** Replaces the list on the founder, and sends it to all other machines. */
  announce(through: NatsLink | null, members: readonly Member[]): void;
  /** Gets the list from JetStream if it is stored there, and otherwise from the founder. */
  fetch(through: NatsLink, founder: AskOptions): Promise<void>;
  /** Processes a list that the founder has sent. */
  take(data: string): void;
  dispose: Dispose;
}

/** Keeps the list of the fleet's members, which only its founder changes. */
export function createRosterKeeper(options: {
  founder: string;
  wire: WireVersion;
  /** the members as the founder knows them; null on another machine */
  members: readonly Member[] | null;
  files: MembershipFiles;
  clock: Clock;
  logger: Logger;
  onChange(roster: Roster): void;
}): RosterKeeper {
  const { founder, wire, files, clock, logger } = options;
  let roster: Roster = { ...wire, founder, revision: 0, members: [], ...files.readRoster() };
  if (options.members !== null) roster = { ...roster, members: [...options.members] };
  let stopStoring: Dispose = () => undefined;

  function set(next: Roster): void {
    roster = next;
    files.writeRoster(next);
    options.onChange(next);
  }

  function takeValue(value: unknown): void {
    const next = Roster.safeParse(value).data;
    if (next?.founder !== founder || versionGap(wire, next) !== 'none') return;
    // A shared NATS server may send an old list again, with a machine that was removed since.
    if (next.revision >= roster.revision) set(next);
  }

  function take(data: string): void {
    try {
      takeValue(JSON.parse(data));
    } catch (cause) {
      logger.warn({ err: cause }, 'the founder sent a list of machines that this version of CBOS cannot read');
    }
  }

  async function store(through: NatsLink, text: string): Promise<void> {
    stopStoring();
    if (through.kept === null || (await through.kept.put(text))) return;
    stopStoring = clock.after(STORE_AGAIN_MS, () => {
      if (text === JSON.stringify(roster)) void store(through, text);
    });
  }

  return {
    current: () => roster,
    announce: (through, members) => {
      // The time is included because a founder that was restored from a backup has an old revision, and its new lists
      // must not be taken for older ones.
      set({ ...wire, founder, revision: Math.max(roster.revision + 1, clock.now()), members: [...members] });
      const text = JSON.stringify(roster);
      through?.publish(rosterSubject(founder), text);
      if (through !== null) void store(through, text);
    },
    fetch: async (through, askOptions) => {
      const kept = (await through.kept?.get()) ?? null;
      if (kept !== null) return take(kept);
      try {
        takeValue(await ask(askOptions, { kind: 'roster' }));
      } catch (error) {
        // The founder's CBOS server may be down while its NATS server runs. In that case, the last known list is used.
        if (!(error instanceof CatalogueError)) throw error;
      }
    },
    take,
    dispose: () => stopStoring(),
  };
}

/**
 * Finds a machine by its name or its id.
 * @param self the id of this machine, if it must be another one
 * @throws CatalogueError no_such_machine, no_such_session
 */
export function memberNamed({ members }: Roster, name: string, self?: string): Member {
  const member = members.find((one) => one.name === name || one.id === name);
  if (member === undefined) throw new CatalogueError('no_such_machine', `No machine in the fleet is named ${name}`);
  if (member.id !== self) return member;
  throw new CatalogueError('no_such_session', `${name} is this machine, so its sessions are named without it`);
}
