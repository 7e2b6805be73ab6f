import type {
  FleetMachine,
  FleetView,
  MachineCall,
  MachineSessions,
  RemoteName,
  Right,
  WireVersion,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import type { FarListener, FarSource, FleetListener } from '../stream/other-machines.ts';
import type { InvitationRequest, Invited } from './founding.ts';
import type { Membership, MembershipFiles } from './membership.ts';

export interface OpenMachinesOptions {
  home: string;
  files: MembershipFiles;
  membership: Membership;
  sessions: Pick<Sessions, 'list' | 'get' | 'stream' | 'events' | 'onEvent'>;
  /** the labels of this machine, which say what it has, such as a GPU */
  labels: readonly string[];
  /** the ssh program and options for it, for tunnels to other machines */
  ssh: readonly string[];
  /** carries out a request from another machine after it has been permitted */
  carryOut(call: MachineCall): Promise<unknown>;
  environment: Readonly<Record<string, string | undefined>>;
  /** the version of CBOS, for display */
  version: string;
  /** the version of the messages that this machine sends */
  wire: WireVersion;
  clock: Clock;
  logger: Logger;
}

/** What this machine can do as a member of a fleet. */
export interface Machines {
  view(): Promise<FleetView>;
  sessions(): Promise<MachineSessions[]>;
  /** Reports the sessions of the other machines, and each change. */
  follow(listener: FleetListener): Dispose;
  /**
   * Resolves when the kind of a session on another machine is known, so that `watch` knows how to follow it.
   * @throws CatalogueError no_such_machine
   */
  ready(name: RemoteName): Promise<void>;
  /**
   * Follows what a session on another machine shows.
   * @throws CatalogueError no_such_machine, no_such_session
   */
  watch(name: RemoteName, listener: FarListener): FarSource;
  call(machine: string, call: MachineCall): Promise<unknown>;
  invite(invitation: InvitationRequest): Promise<Invited>;
  /** Takes an invitation back. Returns the name of the machine that it had admitted, or null. */
  revoke(id: string): Promise<string | null>;
  allow(rights: readonly Right[]): void;
  remove(machine: string): Promise<FleetMachine>;
  rename(name: string): Promise<void>;
  /** Tells the founder that this machine is leaving. A copy does not, because the original stays in the fleet. */
  leave(): Promise<{ told: boolean; isCopy: boolean }>;
  /** Resolves with true once this machine is connected, or with false if the time limit is reached first. */
  connected(limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}
