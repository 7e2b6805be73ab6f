import { randomInt } from 'node:crypto';
import type { OwnedTunnel } from '../../core/machines/index.ts';
import { endLeftTunnel, type OpenTunnel, openTunnel, type TunnelEnd } from '../../platform/ssh/index.ts';
import { CatalogueError, type Tunnel, type TunnelState } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { createWaiters } from './waiters.ts';

/**
 * The ports for tunnels on other machines. They are below those that Linux gives to outgoing connections, which could
 * take a port while its tunnel is broken.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
/** How many ports are tried on a machine, because another program may use one. */
const PORTS_TRIED = 5;
/** The pause before a tunnel that ended is opened again. It doubles after each failure, up to the longest pause. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** A tunnel that is kept open until it is no longer wanted. */
interface Kept {
  tunnel: Tunnel;
  state: TunnelState;
  /** whether the founder's book has the tunnel; until then, only the request that opened it keeps it */
  isInBook: boolean;
  close(): Promise<void>;
}

/** The tunnels that a founder keeps open for the machines that cannot reach its NATS server directly. */
export interface Tunnels {
  /**
   * Opens a tunnel to a machine, on a port that is free there.
   * @throws CatalogueError ssh_missing, tunnel_failed
   */
  open(destination: string): Promise<Tunnel>;
  /** Keeps exactly these tunnels open, apart from those that are just being opened. */
  keep(tunnels: readonly Tunnel[]): Promise<void>;
  /** Closes a tunnel that did not make it into the book. */
  drop(tunnel: Tunnel): Promise<void>;
  stateOf(tunnel: Tunnel): TunnelState;
  close(): Promise<void>;
}

interface TunnelsOptions extends Omit<Parameters<typeof openTunnel>[0], keyof Tunnel> {
  clock: Clock;
  logger: Logger;
}

export function createTunnels(options: TunnelsOptions): Tunnels {
  const kept = new Map<string, Kept>();

  async function end(key: string): Promise<void> {
    const entry = kept.get(key);
    kept.delete(key);
    await entry?.close();
  }

  return {
    open: async (destination) => {
      let last: TunnelEnd | null = null;
      for (let tried = 0; tried < PORTS_TRIED; tried += 1) {
        const tunnel = { destination, port: randomInt(FIRST_PORT, LAST_PORT) };
        if (kept.has(keyOf(tunnel))) continue;
        const attempt = openTunnel({ ...options, ...tunnel });
        last = await attempt.opened;
        if (last === null) {
          kept.set(keyOf(tunnel), supervise(tunnel, attempt, options));
          return tunnel;
        }
        if (!last.isPortTaken) break;
      }
      if (last?.isMissing === true) throw new CatalogueError('ssh_missing', last.said);
      throw new CatalogueError(
        'tunnel_failed',
        `The tunnel to ${destination} could not be opened: ${last?.said ?? ''}`,
      );
    },
    keep: async (tunnels) => {
      const wanted = new Map(tunnels.map((tunnel) => [keyOf(tunnel), tunnel]));
      for (const [key, { destination, port }] of wanted) {
        const entry = kept.get(key) ?? supervise({ destination, port }, null, options);
        entry.isInBook = true;
        kept.set(key, entry);
      }
      const unwanted = [...kept].filter(([key, { isInBook }]) => isInBook && !wanted.has(key));
      await Promise.all(unwanted.map(([key]) => end(key)));
    },
    drop: (tunnel) => end(keyOf(tunnel)),
    stateOf: (tunnel) => kept.get(keyOf(tunnel))?.state ?? { state: 'opening' },
    close: async () => {
      await Promise.all([...kept.keys()].map(end));
    },
  };
}

/** Supervises a tunnel, and opens it again whenever it has ended. */
function supervise(tunnel: Tunnel, first: OpenTunnel | null, options: TunnelsOptions): Kept {
  const { clock, logger } = options;
  let current = first;
  let pauseMs = FIRST_PAUSE_MS;
  let isClosed = false;
  const waiters = createWaiters(clock);
  const entry: Kept = {
    tunnel,
    state: { state: first === null ? 'opening' : 'open' },
    isInBook: first === null,
    close: async () => {
      isClosed = true;
      waiters.wake();
      await current?.close();
    },
  };

  async function once(): Promise<TunnelEnd> {
    current ??= openTunnel({ ...options, ...tunnel });
    const refused = await current.opened;
    if (refused !== null) return refused;
    if (entry.state.state === 'broken') logger.info({ ...tunnel }, 'the tunnel is open again');
    entry.state = { state: 'open' };
    pauseMs = FIRST_PAUSE_MS;
    return current.ended;
  }

  async function run(): Promise<void> {
    if (first === null) await endLeftTunnel({ ...options, ...tunnel });
    while (!isClosed) {
      const fault = await once().then(faultOf, (cause: Error) => cause.message);
      current = null;
      if (isClosed) return;
      const isNews = entry.state.state !== 'broken' || entry.state.fault !== fault;
      entry.state = { state: 'broken', fault };
      if (isNews) logger.warn({ ...tunnel, fault }, 'the tunnel to a machine is not open');
      await waiters.wait(pauseMs);
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  void run();
  return entry;
}

const keyOf = ({ destination, port }: Tunnel): string => `${port} ${destination}`;

const faultOf = ({ isPortTaken, said }: TunnelEnd): string =>
  isPortTaken ? `${said}: the machine may still hold the port for a connection that broke` : said;

/** Returns the tunnel of an invitation or a member, or null if it has none. */
export function tunnelOf(tunnels: readonly OwnedTunnel[], id: string): Tunnel | null {
  const found = tunnels.find(({ owner }) => owner === id);
  return found === undefined ? null : { destination: found.destination, port: found.port };
}
