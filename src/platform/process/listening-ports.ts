import { readFile } from 'node:fs/promises';

/** A line has the form `sl local_address rem_address st …`, where the state `0A` means LISTEN. */
const LISTENING_ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /;

/**
 * Returns the TCP ports on which any program on this machine is listening, as far as this network namespace shows them.
 */
export async function listeningPorts(): Promise<Set<number>> {
  // The second table does not exist if there is no IPv6.
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((table) => readFile(table, 'latin1').catch(() => '')),
  );
  const ports = tables
    .flatMap((table) => table.split('\n'))
    .flatMap((row) => {
      const [, port] = LISTENING_ROW.exec(row) ?? [];
      return port === undefined ? [] : [Number.parseInt(port, 16)];
    });
  return new Set(ports);
}
