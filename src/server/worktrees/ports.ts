import { choosePort } from '../../core/worktrees/index.ts';
import { listeningPorts } from '../../platform/process/index.ts';
import { parsePortRange } from '../../protocol/index.ts';

/** A port that no other worktree gets until the port is released or a session is listed with it. */
export interface ReservedPort {
  port: number;
  release(): void;
}

export interface Ports {
  /** @throws CatalogueError no_free_port */
  reserve(): Promise<ReservedPort>;
}

/**
 * Creates the allocator of ports. A port belongs to its worktree as long as the session is listed, even if no program
 * listens on the port.
 * @param range a valid `worktrees.ports`
 * @param kept returns the ports of the listed sessions
 */
export function createPorts(range: string, kept: () => readonly number[]): Ports {
  const ports = parsePortRange(range);
  if (ports === null) throw new RangeError(`Not a range of ports: ${range}`);
  const reserved = new Set<number>();
  return {
    reserve: async () => {
      const listening = await listeningPorts();
      // Nothing is awaited between here and the reservation, so two sessions cannot get the same port.
      const taken = [...listening, ...reserved, ...kept()];
      const port = choosePort(ports, (one) => taken.includes(one));
      reserved.add(port);
      return { port, release: () => reserved.delete(port) };
    },
  };
}
