import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { mapProcesses } from './proc-file.ts';

/**
 * A line has the form `sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode`, with addresses such
 * as `0100007F:7DCD`.
 */
const TCP_ROW = /^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]{2} \S+ \S+ \S+ +(\d+) +\d+ (\d+)/;

const TCP_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];

interface TcpPorts {
  /** the port number at the other end of the connection */
  theirs: number;
  ours: number;
}

/**
 * Returns the user at the other end of a TCP connection within this machine, or null if that end is closed or on
 * another machine.
 */
export function findTcpUser(ports: TcpPorts): number | null {
  const row = TCP_TABLES.flatMap((table) => rowsOf(readTable(table), ports))[0];
  return row === undefined ? null : row.user;
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // there is no IPv6
  }
}

function rowsOf(table: string, { theirs, ours }: TcpPorts): { user: number; inode: string }[] {
  return table.split('\n').flatMap((row) => {
    const [, local = '', remote = '', user = '', inode = ''] = TCP_ROW.exec(row) ?? [];
    const isIt = Number.parseInt(local, 16) === theirs && Number.parseInt(remote, 16) === ours;
    return isIt ? [{ user: Number(user), inode }] : [];
  });
}

/**
 * Returns this user's processes that hold the other end of a TCP connection within this machine. The result is empty if
 * the other end belongs to another user, another network namespace, or another machine.
 */
export async function findTcpPeers(ports: TcpPorts): Promise<number[]> {
  const tables = await Promise.all(TCP_TABLES.map((table) => readFile(table, 'latin1').catch(() => '')));
  const sockets = new Set(tables.flatMap((table) => rowsOf(table, ports)).map(({ inode }) => `socket:[${inode}]`));
  if (sockets.size === 0) return [];
  return mapProcesses((pid) => (holdsOne(pid, sockets) ? pid : null));
}

function holdsOne(pid: number, files: ReadonlySet<string>): boolean {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).some((fd) => files.has(linkOf(`${dir}/${fd}`)));
  } catch {
    // The process has already ended, or it belongs to another user.
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // The file has already been closed.
    return '';
  }
}
