import {
  type CatalogueError,
  type FleetMachine,
  type FleetView,
  type MachineFacts,
  type MachineInstance,
  type MachineSessions,
  type Member,
  RIGHTS,
  type Roster,
  type Session,
  type Tunnel,
  type TunnelState,
} from '../../protocol/index.ts';
import { stateOf } from './follow-machines.ts';
import { addressText, type Membership } from './membership.ts';
import type { Peers } from './peers.ts';
import { causeOf, type Reach } from './reach.ts';

export interface FleetViewsOptions {
  membership(): Membership;
  roster(): Roster;
  reach: Reach;
  peers: Peers;
  version: string;
  facts(): Omit<MachineFacts, 'may'>;
  instance: MachineInstance;
  doubles(): readonly MachineInstance[];
  /** returns the tunnel that this machine keeps open for another one, or null if there is none */
  tunnelOf(id: string): (Tunnel & TunnelState) | null;
  /** returns a sentence that says why this machine takes no part in the fleet, or null if it takes part */
  fault(): string | null;
  ownSessions(): readonly Session[];
}

/** The fleet as this machine sees it. Each call of `view` and `sessions` sends a request to every other machine. */
export interface FleetViews {
  viewOf(member: Member, failure: CatalogueError | null): FleetMachine;
  view(): Promise<FleetView>;
  sessions(): Promise<MachineSessions[]>;
}

export function createFleetViews(options: FleetViewsOptions): FleetViews {
  const { reach, peers, instance } = options;
  const isSelf = ({ id }: Member): boolean => id === options.membership().id;

  const viewOf = (member: Member, failure: CatalogueError | null): FleetMachine => {
    const facts = isSelf(member) ? { ...options.facts(), may: [...RIGHTS] } : peers.factsOf(member.id);
    const tunnel = options.tunnelOf(member.id);
    const isSilent = failure !== null && causeOf(failure) === 'unreachable';
    return {
      ...member,
      ...(failure === null ? facts : null),
      is_self: isSelf(member),
      is_founder: member.id === options.membership().founder,
      reachable: !isSilent,
      age_ms: isSelf(member) ? 0 : peers.ageOf(member.id),
      version: isSelf(member) ? options.version : (peers.presenceOf(member.id)?.cbos ?? null),
      fault: failure === null || isSilent ? null : `${failure.message}; ${failure.hint}`,
      ...(tunnel === null ? {} : { tunnel }),
    };
  };

  return {
    viewOf,
    view: async () => {
      const machines = await Promise.all(
        options
          .roster()
          .members.map(async (member) => viewOf(member, isSelf(member) ? null : await reach.look(member, 'ping'))),
      );
      const membership = options.membership();
      const { name, allow, id, founder, shared } = membership;
      const fault = options.fault();
      return {
        fleet: {
          machine: name,
          is_founder: id === founder,
          address: addressText(membership),
          is_shared: shared !== null,
          allow,
          connected: fault === null,
          fault,
          instance,
          doubles: [...options.doubles()],
        },
        machines,
      };
    },
    sessions: async () => {
      const own: MachineSessions = {
        machine: options.membership().name,
        is_self: true,
        age_ms: 0,
        unreadable: 0,
        sessions: [...options.ownSessions()],
        ...stateOf(null, RIGHTS),
      };
      const rest = await Promise.all(
        options
          .roster()
          .members.filter((member) => !isSelf(member))
          .map(async (member): Promise<MachineSessions> => {
            const failure = await reach.look(member, 'rows');
            const known = peers.sessionsOf(member.id);
            return { machine: member.name, is_self: false, ...known, ...stateOf(failure, known.may) };
          }),
      );
      return [own, ...rest];
    },
  };
}
