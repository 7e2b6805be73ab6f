import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import {
  CatalogueError,
  type FleetMachine,
  type FleetView,
  type Invitation,
  type JoinFleet,
  MACHINE_WIRE,
  type MachineCall,
  type MachineSessions,
  type NewFleet,
  type NewInvitation,
  type Right,
  type WireVersion,
} from '../../protocol/index.ts';
import { createMailbox } from '../session/mailbox.ts';
import type { Dispose } from '../sessions.ts';
import type { FleetListener, OtherMachines } from '../stream/other-machines.ts';
import { joinByEnvironment } from './join-by-environment.ts';
import type { Machines, OpenMachinesOptions } from './machines.ts';
import { MEMBERSHIP_FILE } from './places.ts';

/**
 * How long a request to join a fleet waits for the connection, so that the machine is connected by the time the user
 * runs the next command.
 */
const CONNECT_MS = 20_000;

const NO_MACHINES = { type: 'fleet' as const, machines: [] };

export interface FleetOptions extends Omit<OpenMachinesOptions, 'files' | 'membership' | 'wire'> {
  /** the version of the messages that this machine sends; set only by tests */
  wire?: WireVersion;
}

/**
 * Handles REST requests about the other machines in the fleet. A machine that belongs to no fleet does not load the
 * implementation.
 */
export interface Fleet extends OtherMachines {
  /** Connects this machine to its fleet, if it belongs to one, but does not wait for the connection. */
  start(): Promise<void>;
  view(): Promise<FleetView>;
  sessions(): Promise<MachineSessions[]>;
  init(request: z.output<typeof NewFleet>): Promise<FleetView>;
  invite(request: z.output<typeof NewInvitation>): Promise<z.output<typeof Invitation>>;
  revoke(id: string): Promise<{ status: 'revoked'; removed: string | null }>;
  join(request: z.output<typeof JoinFleet>): Promise<FleetView>;
  allow(rights: readonly Right[]): Promise<FleetView>;
  remove(machine: string): Promise<FleetMachine>;
  rename(name: string): Promise<FleetView>;
  leave(): Promise<{ status: 'left'; told: boolean; is_copy: boolean }>;
  call(machine: string, call: MachineCall): Promise<unknown>;
  close(): Promise<void>;
}

export function createFleet(options: FleetOptions): Fleet {
  const { home, logger, wire = MACHINE_WIRE } = options;
  let machines: Machines | null = null;
  /**
   * The clients that follow the fleet, each with the function that ends its subscription, or with null while this
   * machine belongs to no fleet.
   */
  const followers = new Map<FleetListener, Dispose | null>();
  let stopJoining: Dispose = () => undefined;
  /** Requests to found, join, or leave a fleet run one at a time. */
  const { post: inTurn } = createMailbox();
  /** what this server does about its fleet, apart from single requests */
  let phase: 'starting' | 'running' | 'ending' = 'starting';
  let onStarted = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    onStarted = resolve;
  });

  const isMember = (): boolean => existsSync(join(home, MEMBERSHIP_FILE));
  const load = () => import('./fleet-parts.ts');
  /** Returns null if this machine belongs to no fleet. @throws CatalogueError fleet_not_ready */
  const current = (): Machines | null => {
    if (machines === null && phase !== 'running' && isMember()) throw notReady(phase);
    return machines;
  };
  const required = (): Machines => {
    const found = current();
    if (found !== null) return found;
    if (!isMember()) throw new CatalogueError('no_fleet');
    throw new CatalogueError('no_fleet', `What this machine knew about its fleet, ${MEMBERSHIP_FILE}, cannot be used`, {
      hint: '`cbos fleet leave` removes it. Then join again with a new invitation',
    });
  };
  /** Waits while the server starts, because that takes only a moment. */
  const ready = async (): Promise<Machines> => {
    await started;
    return required();
  };
  const requireNone = (): void => {
    if (phase === 'ending') throw notReady(phase);
    if (machines !== null || isMember()) throw new CatalogueError('in_fleet');
  };

  async function open(): Promise<Machines | null> {
    const { membershipFiles, openMachines } = await load();
    const files = membershipFiles(home);
    const membership = files.read();
    if (membership === null) {
      logger.error({}, `${MEMBERSHIP_FILE} cannot be read: this machine belongs to no fleet until it joins one again`);
      return null;
    }
    machines = openMachines({ ...options, wire, files, membership });
    for (const listener of followers.keys()) followers.set(listener, machines.follow(listener));
    return machines;
  }

  const start = (): Promise<void> =>
    inTurn(async () => {
      if (phase === 'ending') return;
      if (!isMember()) {
        stopJoining = joinByEnvironment({
          environment: options.environment,
          join: fleet.join,
          clock: options.clock,
          logger,
        });
        return;
      }
      try {
        await open();
      } catch (cause) {
        // A failure is only logged, because this machine's own sessions must work even if the fleet does not.
        logger.error({ err: cause }, 'the connection to the fleet could not be started');
      }
    });

  const fleet: Fleet = {
    start: async () => {
      await start();
      if (phase === 'starting') phase = 'running';
      onStarted();
    },
    view: async () => {
      await started;
      return current()?.view() ?? { fleet: null, machines: [] };
    },
    sessions: async () => (await ready()).sessions(),
    follow: (listener) => {
      followers.set(listener, machines?.follow(listener) ?? null);
      if (machines === null) listener(NO_MACHINES);
      return () => {
        followers.get(listener)?.();
        followers.delete(listener);
      };
    },
    ready: async (name) => {
      await (await ready()).ready(name);
    },
    watch: (name, listener) => required().watch(name, listener),
    init: ({ address, name, nats, credentials = null, authority = null }) =>
      inTurn(async () => {
        requireNone();
        const { foundFleet, createFounding, membershipFiles, readSharedServer } = await load();
        const files = membershipFiles(home);
        try {
          const membership = await foundFleet({
            home,
            files,
            name: name ?? null,
            address: address ?? null,
            nats: nats === undefined ? null : readSharedServer(nats, { credentials, authority }),
            path: options.environment.PATH,
          });
          // If the NATS server does not start, the error says why, and no part of the new fleet is left behind.
          const founding = createFounding({
            ...options,
            files,
            membership,
            wire,
            onChange: () => undefined,
            flush: async () => undefined,
          });
          await founding.ensure();
          founding.dispose();
        } catch (cause) {
          files.remove();
          throw cause;
        }
        const opened = await open();
        await opened?.connected(CONNECT_MS);
        return required().view();
      }),
    invite: async ({ rights, valid_s, tunnel_to }) => {
      const request = { rights, validMs: valid_s * 1_000, tunnelTo: tunnel_to ?? null };
      const { id, line, expiresAt } = await (await ready()).invite(request);
      return { id, line, rights, expires_at: new Date(expiresAt).toISOString() };
    },
    revoke: async (id) => ({ status: 'revoked', removed: await (await ready()).revoke(id) }),
    join: ({ line, name, allow, labels, credentials = null, authority = null }) =>
      inTurn(async () => {
        requireNone();
        const { joinFleet, membershipFiles } = await load();
        await joinFleet({
          home,
          files: membershipFiles(home),
          name: name ?? null,
          line,
          allow,
          labels: labels ?? [],
          ...{ credentials, authority },
          wire,
        });
        const opened = await open();
        await opened?.connected(CONNECT_MS);
        return required().view();
      }),
    allow: async (rights) => {
      (await ready()).allow(rights);
      return required().view();
    },
    remove: async (machine) => (await ready()).remove(machine),
    rename: async (name) => {
      await (await ready()).rename(name);
      return required().view();
    },
    leave: () =>
      inTurn(async () => {
        const { membershipFiles } = await load();
        if (machines === null && isMember() && phase === 'running') {
          membershipFiles(home).remove();
          return { status: 'left', told: false, is_copy: false };
        }
        const leaving = required();
        const { told, isCopy } = await leaving.leave();
        machines = null;
        await leaving.close();
        for (const listener of followers.keys()) {
          followers.set(listener, null);
          listener(NO_MACHINES);
        }
        membershipFiles(home).remove();
        return { status: 'left', told, is_copy: isCopy };
      }),
    call: async (machine, call) => (await ready()).call(machine, call),
    close: () => {
      phase = 'ending';
      onStarted();
      stopJoining();
      return inTurn(async () => {
        const closing = machines;
        machines = null;
        await closing?.close();
      });
    },
  };
  return fleet;
}

const notReady = (phase: 'starting' | 'ending'): CatalogueError =>
  new CatalogueError('fleet_not_ready', `CBOS on this machine is ${phase}, and takes no part in its fleet now`);
