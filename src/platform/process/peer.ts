import { readdirSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { mapProcesses } from './proc-file.ts';

/** `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode`, addresses as `0100007F:7DCD`. */
const TCP_ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} \S+ \S+ \S+ +\d+ +\d+ (\d+)/;

/**
 * The processes of this user that hold the other end of a TCP connection within this machine: none where that is another user's, in
 * another network namespace, or on another machine.
 * @param ports of the other end, and of ours
 */
export async function findTcpPeers(ports: { theirs: number; ours: number }): Promise<number[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'latin1').catch(() => '')),
  );
  const sockets = new Set(
    tables.flatMap((table) =>
      table.split('\n').flatMap((row) => {
        const [, local = '', remote = '', inode = ''] = TCP_ROW.exec(row) ?? [];
        const isIt = Number.parseInt(local, 16) === ports.theirs && Number.parseInt(remote, 16) === ports.ours;
        return isIt ? [`socket:[${inode}]`] : [];
      }),
    ),
  );
  if (sockets.size === 0) return [];
  return mapProcesses((pid) => (holdsOne(pid, sockets) ? pid : null));
}

function holdsOne(pid: number, files: ReadonlySet<string>): boolean {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).some((fd) => files.has(linkOf(`${dir}/${fd}`)));
  } catch {
    // Gone by now, or another user's.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed by now.
    return '';
  }
}
