import { CatalogueError, type PortRange } from '../../protocol/index.ts';

/**
 * Returns the first port in a range that neither belongs to a worktree nor is in use.
 * @throws CatalogueError no_free_port
 */
export function choosePort({ first, last }: PortRange, isTaken: (port: number) => boolean): number {
  for (let port = first; port <= last; port += 1) if (!isTaken(port)) return port;
  throw new CatalogueError('no_free_port', `All ports from ${first} to ${last} are in use`);
}
