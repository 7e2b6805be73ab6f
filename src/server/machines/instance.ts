import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { MachineInstance } from '../../protocol/index.ts';

/** How many characters of an id are shown: enough to tell two machines apart, and few enough for a user to compare. */
const SHOWN_CHARACTERS = 8;

/** Describes this server, so that the user can tell it apart from another server with the same key. */
export function describeInstance(boot: string, now: number): MachineInstance {
  const machineId = machineIdOf();
  return {
    boot,
    host: hostname(),
    // systemd asks programs not to reveal the machine id itself, so only a digest is shown.
    machine:
      machineId === null
        ? null
        : createHash('sha256').update(`cbos-machine ${machineId}`).digest('hex').slice(0, SHOWN_CHARACTERS),
    os_boot: read('/proc/sys/kernel/random/boot_id')?.slice(0, SHOWN_CHARACTERS) ?? null,
    pid: process.pid,
    started_at: new Date(now).toISOString(),
  };
}

/** Returns the id of this installation of the operating system, or null if there is none, as in most containers. */
export const machineIdOf = (): string | null => read('/etc/machine-id');

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Returns a description of a server, for use in a sentence. */
export function instanceText({ boot, host, machine, os_boot, pid }: MachineInstance): string {
  const ids = [
    ...(machine === null ? [] : [`machine id ${machine}`]),
    ...(os_boot === null ? [] : [`boot ${os_boot}`]),
    `instance ${boot.slice(0, SHOWN_CHARACTERS)}`,
    `pid ${pid}`,
  ];
  return `${host} (${ids.join(', ')})`;
}

/** Returns what the user must do about other servers that have this machine's key, or null if there are none. */
export function doublesText(doubles: readonly MachineInstance[], own: MachineInstance): string | null {
  if (doubles.length === 0) return null;
  return `another server has the key of this machine: ${doubles.map(instanceText).join('; ')}; this one is ${instanceText(own)}; run cbos fleet leave on the copy`;
}
