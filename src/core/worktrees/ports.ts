import { CatalogueError, PORT_RANGE } from '../../protocol/index.ts';

const LARGEST_PORT = 65_535;

export interface PortRange {
  first: number;
  last: number;
}

/** @throws CatalogueError invalid_setting */
export function readPortRange(text: string): PortRange {
  const [, first, last] = PORT_RANGE.exec(text)?.map(Number) ?? [];
  if (first === undefined || last === undefined || first < 1 || first > last || last > LARGEST_PORT) {
    throw new CatalogueError('invalid_setting', `worktrees.ports cannot be ${JSON.stringify(text)}`, {
      hint: 'Write a range of ports, as in ports = "28000-28999"',
    });
  }
  return { first, last };
}

/**
 * Returns the first port of a range that neither belongs to a worktree nor is in use.
 * @throws CatalogueError no_free_port
 */
export function choosePort({ first, last }: PortRange, isTaken: (port: number) => boolean): number {
  for (let port = first; port <= last; port += 1) if (!isTaken(port)) return port;
  throw new CatalogueError('no_free_port', `Every port from ${first} to ${last} is taken`);
}
