import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import { asksOf, joinSubject, ownerOfRows, ROSTER_SUBJECT, rowsSubject } from '../../core/machines/index.ts';
import { type NatsLink, openNatsLink } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  type FleetMachine,
  type MachineRows,
  type MachineSessions,
  type Member,
  RIGHTS,
  Roster,
  type RowsVersion,
  type Session,
} from '../../protocol/index.ts';
import { createAskListener } from './answer-asks.ts';
import { ask, callOwner, unreachable } from './ask-machine.ts';
import { createMachineFollowers } from './follow-machines.ts';
import { createFounding, dialable, type Founding } from './founding.ts';
import { keepConnected } from './keep-connected.ts';
import { machineFacts } from './machine-facts.ts';
import type { Machines, OpenMachinesOptions } from './machines.ts';
import { placeOf } from './membership.ts';
import { createPeers } from './peers.ts';
import { tellRows } from './tell-rows.ts';
import { createWaiters } from './waiters.ts';

/** How long a machine that is leaving remains admitted, so that it can still receive the answer to its request. */
const LEAVE_GRACE_MS = 100;

export function openMachines(options: OpenMachinesOptions): Machines {
  const { files, clock, logger } = options;
  let { membership } = options;
  const { id: self, founder } = membership;
  const isFounder = self === founder;
  const boot = randomUUID();
  // This clock keeps running while the machine sleeps. Therefore rows from before a night of sleep are shown as old.
  const elapsed = (): number => Math.round(uptime() * 1_000);
  const peers = createPeers(elapsed);
  let roster: Roster = files.readRoster() ?? { founder, members: [] };
  let link: NatsLink | null = null;
  let isClosed = false;
  const waiters = createWaiters(clock);

  const facts = () => machineFacts(options.sessions.list(), options.labels);
  const stamp = () => ({ boot, at_ms: elapsed() });
  const rows = (known?: RowsVersion): MachineRows => {
    const revision = telling.revision();
    const isKnown = known?.boot === boot && known.revision === revision;
    return { ...stamp(), revision, sessions: isKnown ? null : options.sessions.list() };
  };
  const founding: Founding | null = isFounder
    ? createFounding({
        membership,
        files,
        environment: options.environment,
        clock,
        logger,
        onChange: () => setRoster({ founder, members: [...(founding?.members() ?? [])] }),
        flush: async () => link?.flush(),
      })
    : null;
  if (founding !== null) roster = { founder, members: [...founding.members()] };

  function setRoster(next: Roster): void {
    roster = next;
    peers.keep(new Set(next.members.map(({ id }) => id)));
    followers.lookNow();
    files.writeRoster(next);
    if (isFounder) link?.publish(ROSTER_SUBJECT, JSON.stringify(next));
  }

  const onAsk = createAskListener({
    elapsed: clock.elapsed,
    stamp,
    facts,
    rows,
    roster: () => roster,
    allowed: () => membership.allow,
    carryOut: options.carryOut,
    onLeave: ({ id }) => {
      // The connection is closed when the machine is removed, so the answer must arrive before that.
      if (id !== self) clock.after(LEAVE_GRACE_MS, () => void founding?.remove(id));
    },
    logger,
  });
  const telling = tellRows({
    sessions: options.sessions,
    clock,
    tell: () => {
      if (membership.allow.includes('see')) link?.publish(rowsSubject(self), JSON.stringify(rows()));
    },
  });

  const others = (): Member[] => roster.members.filter(({ id }) => id !== self);
  const askOptions = (through: NatsLink, { id, name }: Member) => ({ link: through, self, owner: id, name });

  /** Requests a machine's sessions, or only checks that the machine is reachable. Returns the error, or null. */
  async function look(member: Member, kind: 'rows' | 'ping'): Promise<CatalogueError | null> {
    if (link === null) return unreachable(member.name);
    const askedMs = elapsed();
    const known = peers.known(member.id);
    const question = kind === 'rows' && known !== null ? { kind, known } : { kind };
    try {
      peers.onAnswer(member.id, askedMs, await ask(askOptions(link, member), question));
      return null;
    } catch (error) {
      if (error instanceof CatalogueError) return error;
      throw error;
    }
  }

  const followers = createMachineFollowers({
    others,
    look: (member) => look(member, 'rows'),
    sessionsOf: peers.sessionsOf,
    clock,
  });

  async function connectOnce(onUp: () => void): Promise<void> {
    if (placeOf(options.home) !== membership.place) {
      throw new Error('this home was copied or moved; run cbos fleet leave, then join again');
    }
    await founding?.ensure();
    const { host, listen, port, authority, seed } = membership;
    const dial = listen === null ? {} : { dial: dialable(listen) };
    const opened = await openNatsLink({ host, port, authority, id: self, seed, ...dial });
    try {
      await serve(opened, onUp);
    } finally {
      link = null;
      followers.lookNow();
      await opened.close();
    }
  }

  async function serve(opened: NatsLink, onUp: () => void): Promise<void> {
    if (isClosed) return;
    opened.subscribe(asksOf(self), onAsk);
    opened.subscribe(rowsSubject('*'), ({ subject, data }) => {
      const member = others().find(({ id }) => id === ownerOfRows(subject));
      if (member === undefined) return;
      if (peers.onRows(member.id, data)) followers.noteRows(member);
      else void look(member, 'rows').then(() => followers.noteRows(member));
    });
    if (founding !== null) opened.subscribe(joinSubject('*'), founding.onJoin);
    else opened.subscribe(ROSTER_SUBJECT, ({ data }) => readRoster(data));
    await opened.flush();
    link = opened;
    onUp();
    if (founding !== null) setRoster({ founder, members: [...founding.members()] });
    else await askRoster(opened);
    telling.now();
    waiters.wake();
    void Promise.all(others().map((member) => look(member, 'rows')));
    await opened.closed;
  }

  async function askRoster(through: NatsLink): Promise<void> {
    const value = await ask({ link: through, self, owner: founder, name: 'the founder' }, { kind: 'roster' }).catch(
      (error: unknown) => {
        // If the founder's CBOS server is down while its NATS server is running, the last known roster is used.
        if (!(error instanceof CatalogueError)) throw error;
        return null;
      },
    );
    if (value !== null) takeRoster(value);
  }

  function readRoster(data: string): void {
    try {
      takeRoster(JSON.parse(data));
    } catch (cause) {
      logger.warn({ err: cause }, 'the founder sent a list of machines that this version of CBOS cannot read');
    }
  }

  function takeRoster(value: unknown): void {
    const next = Roster.safeParse(value).data;
    if (next !== undefined && next.founder === founder) setRoster(next);
  }

  const connection = keepConnected({ connect: connectOnce, isFounder, clock, logger });

  const requireMember = (name: string): Member => {
    const member = roster.members.find((one) => one.name === name || one.id === name);
    if (member === undefined) throw new CatalogueError('no_such_machine', `No machine in the fleet is named ${name}`);
    return member;
  };
  const viewOf = (member: Member, isReachable: boolean): FleetMachine => ({
    ...member,
    is_self: member.id === self,
    is_founder: member.id === founder,
    reachable: member.id === self || isReachable,
    age_ms: member.id === self ? 0 : peers.ageOf(member.id),
    ...(member.id === self ? { ...facts(), may: [...RIGHTS] } : isReachable ? peers.factsOf(member.id) : null),
  });
  const requireFounding = (): Founding => {
    if (founding === null) throw new CatalogueError('not_founder');
    return founding;
  };

  return {
    view: async () => {
      const machines = await Promise.all(
        roster.members.map(async (member) =>
          viewOf(member, member.id === self || (await look(member, 'ping')) === null),
        ),
      );
      const { name, host, port, allow } = membership;
      return {
        fleet: {
          machine: name,
          is_founder: isFounder,
          address: `${host}:${port}`,
          allow,
          connected: link !== null,
          fault: link === null ? (connection.fault() ?? 'not connected yet') : null,
        },
        machines,
      };
    },
    sessions: async () => {
      const own: MachineSessions = {
        machine: membership.name,
        is_self: true,
        reachable: true,
        age_ms: 0,
        fault: null,
        may: [...RIGHTS],
        unreadable: 0,
        sessions: options.sessions.list() as Session[],
      };
      const rest = await Promise.all(
        others().map(async (member): Promise<MachineSessions> => {
          const failure = await look(member, 'rows');
          const known = peers.sessionsOf(member.id);
          // Even if the machine is reachable but refuses the request, its earlier report is no longer current.
          return {
            machine: member.name,
            is_self: false,
            reachable: failure === null,
            fault: failure?.message ?? null,
            ...known,
            may: failure === null ? known.may : [],
          };
        }),
      );
      return [own, ...rest];
    },
    follow: followers.follow,
    call: async (machine, call) => {
      const member = requireMember(machine);
      if (member.id === self) return options.carryOut(call);
      if (link === null) throw unreachable(member.name);
      return callOwner(askOptions(link, member), call);
    },
    invite: (rights, validMs) => requireFounding().invite(rights, validMs),
    allow: (rights) => {
      membership = { ...membership, allow: [...rights] };
      files.write(membership);
    },
    remove: async (machine) => {
      const member = requireMember(machine);
      if (member.id === self) {
        throw new CatalogueError('not_founder', 'The founder cannot remove itself', {
          hint: '`cbos fleet leave` ends the fleet',
        });
      }
      await requireFounding().remove(member.id);
      return viewOf(member, false);
    },
    leave: async () => {
      if (isFounder) return true;
      if (link === null) return false;
      const told = await ask({ link, self, owner: founder, name: 'the founder' }, { kind: 'leave' }).then(
        () => true,
        () => false,
      );
      return told;
    },
    connected: async (limitMs) => link !== null || waiters.wait(limitMs),
    close: async () => {
      isClosed = true;
      telling.dispose();
      followers.dispose();
      founding?.dispose();
      const ending = connection.close();
      await link?.close();
      await ending;
      await founding?.stop();
    },
  };
}
