import type { FleetMachine, FleetView, MachineCall, MachineSessions, Right } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import type { FleetListener } from './follow-machines.ts';
import type { Membership, MembershipFiles } from './membership.ts';

export interface OpenMachinesOptions {
  home: string;
  files: MembershipFiles;
  membership: Membership;
  sessions: Pick<Sessions, 'list' | 'onEvent'>;
  /** what this machine has */
  labels: readonly string[];
  carryOut(call: MachineCall): Promise<unknown>;
  environment: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  logger: Logger;
}

/** What this machine can do as a member of a fleet. */
export interface Machines {
  view(): Promise<FleetView>;
  sessions(): Promise<MachineSessions[]>;
  /** Reports the sessions of the other machines, and each change. */
  follow(listener: FleetListener): Dispose;
  call(machine: string, call: MachineCall): Promise<unknown>;
  invite(rights: readonly Right[], validMs: number): Promise<{ line: string; expiresAt: number }>;
  allow(rights: readonly Right[]): void;
  remove(machine: string): Promise<FleetMachine>;
  /** Tells the founder that this machine is leaving. Returns false if the founder could not be reached. */
  leave(): Promise<boolean>;
  /** Resolves with true once this machine is connected, or with false if the time limit is reached first. */
  connected(limitMs: number): Promise<boolean>;
  close(): Promise<void>;
}
