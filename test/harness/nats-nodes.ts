import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { createKey, type MachineKey } from '../../src/platform/nats/index.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** The users of the nodes: one with all rights, one that may only ask, and one in an account without JetStream. */
interface Users {
  fleet: MachineKey;
  narrow: MachineKey;
  plain: MachineKey;
}

/** Real NATS servers on loopback that somebody else runs: one, or a cluster, with JetStream. */
export interface NatsNodes {
  /** for `--nats` */
  address: string;
  /** the addresses of the nodes' monitoring, `http://HOST:PORT` */
  monitors: readonly string[];
  users: Users;
  /** Opens a connection as a user, without anything of CBOS. */
  connect(user?: MachineKey): Promise<NatsConnection>;
  /** Ends a node with SIGKILL. */
  kill(name: string): Promise<void>;
  start(name: string): Promise<void>;
  /** Returns the name of the node that leads the fleet's stream; null while there is none. */
  leader(founder: string): Promise<string | null>;
}

export async function startNatsNodes(world: World, count: number): Promise<NatsNodes> {
  const users: Users = { fleet: createKey(), narrow: createKey(), plain: createKey() };
  const names = Array.from({ length: count }, (_, index) => `n${index + 1}`);
  const ports = new Map<string, { client: number; route: number; monitor: number }>();
  for (const name of names) {
    const [client, route, monitor] = [await world.freePort(), await world.freePort(), await world.freePort()];
    ports.set(name, { client, route, monitor });
  }
  const program = findOnPath(['nats-server'], '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin') ?? 'nats-server';
  const running = new Map<string, ChildProcess>();
  const routes = names.map((name) => `nats-route://127.0.0.1:${ports.get(name)?.route}`);

  const start = async (name: string): Promise<void> => {
    const dir = join(world.dir, 'nats', name);
    mkdirSync(dir, { recursive: true });
    const { client, route, monitor } = ports.get(name) ?? { client: 0, route: 0, monitor: 0 };
    const cluster = `cluster { name: "c", listen: "127.0.0.1:${route}", routes: [${routes.join(', ')}] }`;
    writeFileSync(
      join(dir, 'nats.conf'),
      `server_name: ${name}
listen: "127.0.0.1:${client}"
http: "127.0.0.1:${monitor}"
authorization { timeout: 30 }
jetstream { store_dir: "${dir}", max_mem: 64MB, max_file: 256MB }
${count > 1 ? cluster : ''}
accounts {
  FLEET: { jetstream: enabled, users: [
    { nkey: ${users.fleet.id} }
    { nkey: ${users.narrow.id}, permissions: { publish: ["cbos.ask.>", "$JS.API.>"], subscribe: ["cbos.ask.>", "_INBOX.>"] } }
  ] }
  PLAIN: { users: [ { nkey: ${users.plain.id} } ] }
}
`,
    );
    const child = spawn(program, ['-c', join(dir, 'nats.conf'), '-l', join(dir, 'log')], {
      env: world.env,
      stdio: 'ignore',
    });
    running.set(name, child);
    await once(child, 'spawn');
  };
  const kill = async (name: string): Promise<void> => {
    const child = running.get(name);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  world.onDispose(async () => {
    for (const name of names) await kill(name);
  });
  for (const name of names) await start(name);

  const servers = names.map((name) => `127.0.0.1:${ports.get(name)?.client}`);
  const open = ({ seed }: MachineKey = users.fleet): Promise<NatsConnection> =>
    connect({
      servers,
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
      reconnect: false,
      ignoreClusterUpdates: true,
    });
  const leader = async (founder: string): Promise<string | null> => {
    const connection = await open().catch(() => null);
    try {
      const info = await connection?.request(`$JS.API.STREAM.INFO.CBOS_${founder}`, '', { timeout: 1_000 });
      const { cluster } = (info?.json() ?? {}) as { cluster?: { leader?: string; replicas?: { current: boolean }[] } };
      return cluster?.leader ?? null;
    } catch {
      return null; // there is no leader now
    } finally {
      await connection?.close();
    }
  };
  await waitFor(
    async () => {
      const connection = await open().catch(() => null);
      try {
        const info = await connection?.request('$JS.API.INFO', '', { timeout: 1_000 });
        return info !== undefined && !('error' in (info.json() as object));
      } catch {
        return false;
      } finally {
        await connection?.close();
      }
    },
    { describe: 'JetStream answers', timeoutMs: 60_000 },
  );
  const address = servers.map((one) => `nats://${one}`).join(',');
  const monitors = names.map((name) => `http://127.0.0.1:${ports.get(name)?.monitor}`);
  return { address, monitors, users, connect: open, kill, start, leader };
}
