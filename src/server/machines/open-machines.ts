import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import { asksOf, joinSubject, ownerOfRows, rosterSubject, rowsSubject } from '../../core/machines/index.ts';
import { type NatsLink, NatsRefusedError } from '../../platform/nats/index.ts';
import {
  CatalogueError,
  type MachineRows,
  type MachineStamp,
  type Member,
  type Roster,
  type RowsVersion,
  type Session,
} from '../../protocol/index.ts';
import { createAskListener } from './answer-asks.ts';
import { change, unreachable } from './ask-machine.ts';
import { createFleetViews } from './fleet-views.ts';
import { createMachineFollowers } from './follow-machines.ts';
import { createFounding, type Founding } from './founding.ts';
import { describeInstance, doublesText } from './instance.ts';
import { keepConnected } from './keep-connected.ts';
import { founderStays, leaveFleet } from './leave-fleet.ts';
import { machineFacts } from './machine-facts.ts';
import type { Machines, OpenMachinesOptions } from './machines.ts';
import { placeOf } from './membership.ts';
import { openLinkOf } from './open-link.ts';
import { createPeers } from './peers.ts';
import { createReach, type Reach } from './reach.ts';
import { createRosterKeeper, memberNamed } from './roster-keeper.ts';
import { tellRows } from './tell-rows.ts';
import { createWaiters } from './waiters.ts';
import { type DoubleWatch, watchDoubles } from './watch-doubles.ts';
import { createWatching } from './watching.ts';

/** How long a machine that is leaving remains admitted, so that it can still receive the answer to its request. */
const LEAVE_GRACE_MS = 100;

export function openMachines(options: OpenMachinesOptions): Machines {
  const { files, clock, logger, wire } = options;
  let { membership } = options;
  const { id: self, founder } = membership;
  const isFounder = self === founder;
  const boot = randomUUID();
  const instance = describeInstance(boot, clock.now());
  // This clock keeps running while the machine is suspended, so the ages of rows include that time.
  const elapsed = (): number => Math.round(uptime() * 1_000);
  const peers = createPeers(elapsed, wire);
  /** the connection through which this machine takes part in the fleet, or null while it takes no part */
  let link: NatsLink | null = null;
  /** the open connection, whether or not this machine takes part in the fleet */
  let open: NatsLink | null = null;
  let watch: DoubleWatch | null = null;
  let isClosed = false;
  const waiters = createWaiters(clock);

  const facts = () => machineFacts(options.sessions.list(), [...new Set([...options.labels, ...membership.labels])]);
  const stamp = (): MachineStamp => ({ ...wire, boot, at_ms: elapsed(), cbos: options.version });
  const doubles = () => watch?.doubles() ?? [];
  const isDoubled = (): boolean => doubles().length > 0;
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
        ssh: options.ssh,
        clock,
        logger,
        wire,
        onChange: () => announce(),
        flush: async () => link?.flush(),
      })
    : null;
  const keeper = createRosterKeeper({
    ...{ founder, wire, files, clock, logger },
    members: founding?.members() ?? null,
    onChange: (roster) => {
      const members = new Set(roster.members.map(({ id }) => id));
      for (const { keep } of [peers, watching]) keep(members);
      followers.lookNow();
      const own = roster.members.find(({ id }) => id === self);
      if (own !== undefined && own.name !== membership.name) {
        membership = { ...membership, name: own.name };
        files.write(membership);
      }
      // Unlike the founder's own NATS server, a shared one does not close a removed machine's connection.
      if (own === undefined && !isFounder && membership.shared !== null) void open?.close();
    },
  });
  const roster = (): Roster => keeper.current();
  const announce = (): void => keeper.announce(link, founding?.members() ?? []);

  const onAsk = createAskListener({
    elapsed: clock.elapsed,
    stamp,
    facts,
    isDoubled,
    rows,
    roster,
    allowed: () => membership.allow,
    carryOut: options.carryOut,
    watches: () => watching.watches,
    onWatched: ({ id }, { watch, news }) => watching.far.take(id, watch, news),
    onRename: ({ id }, name) => requireFounding().rename(id, name),
    onLeave: ({ id }) => {
      // Removing the machine closes its connection, so the answer must arrive first.
      if (id !== self) clock.after(LEAVE_GRACE_MS, () => void founding?.remove(id));
    },
    logger,
  });
  const telling = tellRows({
    sessions: options.sessions,
    clock,
    tell: (change) => {
      const told = change === null ? rows() : { ...stamp(), revision: telling.revision(), sessions: null, change };
      if (membership.allow.includes('see')) link?.publish(rowsSubject(self), JSON.stringify(told));
    },
  });

  const memberOf = (id: string): Member | undefined => roster().members.find((one) => one.id === id);
  const others = (): Member[] => roster().members.filter(({ id }) => id !== self);
  const reach = createReach({ link: () => link, self, wire, peers, elapsed });
  const look: Reach['look'] = async (member, kind) => {
    const failure = await reach.look(member, kind);
    if (failure === null) watching.heard(member.id);
    return failure;
  };
  const followers = createMachineFollowers({
    others,
    look: (member) => look(member, 'rows'),
    sessionsOf: peers.sessionsOf,
    clock,
  });
  const watching = createWatching({
    ...{ ...options, boot, reach, peers },
    askOptions: (id) => (link === null ? null : { link, self, owner: id, name: memberOf(id)?.name ?? id, wire }),
    memberOf,
    allowed: () => membership.allow,
    follow: () => followers.follow(() => undefined),
  });

  async function connectOnce(onUp: () => void): Promise<void> {
    if (placeOf(options.home) !== membership.place) {
      throw new Error('this home was copied or moved; run cbos fleet leave, then join again');
    }
    await founding?.ensure();
    const opened = await openLinkOf(membership);
    open = opened;
    try {
      await serve(opened, onUp);
    } finally {
      link = null;
      open = null;
      watch?.dispose();
      watch = null;
      followers.lookNow();
      await opened.close();
    }
  }

  async function serve(opened: NatsLink, onUp: () => void): Promise<void> {
    watch = await watchDoubles({
      ...{ link: opened, self, instance, clock },
      onChange: () => {
        if (isDoubled()) standBack();
        else takePart(opened).catch(() => void opened.close());
      },
    });
    if (isClosed) return;
    opened.subscribe(asksOf(self), onAsk);
    opened.subscribe(rowsSubject('*'), ({ subject, data }) => {
      const member = others().find(({ id }) => id === ownerOfRows(subject));
      if (member === undefined) return;
      if (peers.onRows(member.id, data)) {
        followers.noteRows(member);
        watching.heard(member.id);
      } else void look(member, 'rows').then(() => followers.noteRows(member));
    });
    if (founding !== null) {
      opened.subscribe(joinSubject('*'), (message) => {
        // Otherwise, two copies of the founder would both admit the machine, each to its own fleet.
        if (!isDoubled()) founding.onJoin(message);
      });
    } else opened.subscribe(rosterSubject(founder), ({ data }) => keeper.take(data));
    await opened.flush();
    onUp();
    if (isDoubled()) standBack();
    else await takePart(opened);
    await opened.closed;
  }

  async function takePart(through: NatsLink): Promise<void> {
    link = through;
    if (founding !== null) announce();
    else await keeper.fetch(through, askFounder(through));
    requireMembership();
    telling.now();
    watching.onUp();
    waiters.wake();
    void Promise.all(others().map((member) => look(member, 'rows')));
  }

  /** Takes no part in the fleet while another server has the same key, as no one could tell the two apart. */
  function standBack(): void {
    link = null;
    logger.warn({ instance, doubles: doubles() }, 'another server has the key of this machine');
    followers.lookNow();
  }

  const askFounder = (through: NatsLink) => ({ link: through, self, owner: founder, name: 'the founder', wire });

  /** A shared NATS server lets a removed machine connect. */
  function requireMembership(): void {
    if (membership.shared === null || roster().members.some(({ id }) => id === self)) return;
    link = null;
    throw new NatsRefusedError('the fleet does not know this machine');
  }

  const connection = keepConnected({ connect: connectOnce, isFounder, clock, logger });

  const requireMember = (name: string): Member => memberNamed(roster(), name);
  const requireOther = (name: string): Member => memberNamed(roster(), name, self);
  const views = createFleetViews({
    membership: () => membership,
    roster,
    reach,
    peers,
    version: options.version,
    facts,
    instance,
    doubles,
    tunnelOf: (id) => founding?.tunnelOf(id) ?? null,
    fault: () =>
      link === null ? (doublesText(doubles(), instance) ?? connection.fault() ?? 'not connected yet') : null,
    ownSessions: () => options.sessions.list() as Session[],
  });
  const requireFounding = (): Founding => {
    if (founding === null) throw new CatalogueError('not_founder');
    return founding;
  };

  const doubled = (): CatalogueError =>
    new CatalogueError('machine_doubled', `${membership.name}: ${doublesText(doubles(), instance) ?? ''}`);

  return {
    view: views.view,
    sessions: views.sessions,
    follow: followers.follow,
    ready: async ({ machine, slug }) => watching.ready(requireOther(machine), slug),
    watch: (name, listener) => watching.follow(requireOther(name.machine), name, listener),
    call: async (machine, call) => {
      const member = requireMember(machine);
      if (member.id === self) return options.carryOut(call);
      if (isDoubled()) throw doubled();
      return reach.call(member, call);
    },
    invite: (invitation) => requireFounding().invite(invitation),
    revoke: (id) => requireFounding().revoke(id),
    allow: (rights) => {
      membership = { ...membership, allow: [...rights] };
      files.write(membership);
    },
    rename: async (name) => {
      if (isDoubled()) throw doubled();
      if (founding !== null) return founding.rename(self, name);
      if (link === null) throw unreachable('the founder');
      await change(askFounder(link), { kind: 'rename', name });
      await keeper.fetch(link, askFounder(link));
    },
    remove: async (machine) => {
      const member = requireMember(machine);
      if (member.id === self) throw founderStays();
      await requireFounding().remove(member.id);
      return views.viewOf(member, unreachable(member.name));
    },
    leave: () =>
      leaveFleet({
        // The founder must not be told that a copy leaves: it would remove the original, which has the same key.
        isCopy: isDoubled() || placeOf(options.home) !== membership.place,
        ...{ isFounder, link, membership, keeper, askFounder },
      }),
    connected: async (limitMs) => link !== null || waiters.wait(limitMs),
    close: async () => {
      isClosed = true;
      telling.dispose();
      followers.dispose();
      watching.keep(new Set());
      founding?.dispose();
      keeper.dispose();
      const ending = connection.close();
      await open?.close();
      await ending;
      await founding?.stop();
    },
  };
}
