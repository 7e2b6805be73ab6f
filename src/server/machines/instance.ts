import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { MachineInstance } from '../../protocol/index.ts';

/** Long enough to tell two machines apart, and short enough for a person to compare. */
const SHOWN_CHARACTERS = 8;

/** Describes this server, so that a person can tell it from another one with the same key. */
export function describeInstance(boot: string, now: number): MachineInstance {
  const machineId = machineIdOf();
  return {
    boot,
    host: hostname(),
    // systemd asks programs not to show the id itself.
    machine:
      machineId === null
        ? null
        : createHash('sha256').update(`cbos-machine ${machineId}`).digest('hex').slice(0, SHOWN_CHARACTERS),
    os_boot: read('/proc/sys/kernel/random/boot_id')?.slice(0, SHOWN_CHARACTERS) ?? null,
    pid: process.pid,
    started_at: new Date(now).toISOString(),
  };
}

/** Returns the id of this installation of the operating system. Null if there is none, as in most containers. */
export const machineIdOf = (): string | null => read('/etc/machine-id');

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Names a server in a sentence. */
export function instanceText({ boot, host, machine, os_boot, pid }: MachineInstance): string {
  const ids = [
    ...(machine === null ? [] : [`machine id ${machine}`]),
    ...(os_boot === null ? [] : [`boot ${os_boot}`]),
    `instance ${boot.slice(0, SHOWN_CHARACTERS)}`,
    `pid ${pid}`,
  ];
  return `${host} (${ids.join(', ')})`;
}
