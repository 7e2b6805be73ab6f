import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { World } from '../../test/harness/world.ts';
import { agesIn } from '../growing-recordings.ts';

/** A session without a model that draws a prompt and then waits: `stub-agent.sh`. */
export const STUB_AGENT = fileURLToPath(new URL('../stub-agent.sh', import.meta.url));
/** What a stub agent becomes once it has drawn its prompt. */
const WAITING_AGENT = /^sleep infinity\b/;

/** A program that holds sessions. */
export interface Peer {
  /** as a table shows it: `tmux 3.3a` */
  name: string;
  /** Starts the program in a world of its own, with sessions of the stub agent. They end with the world. */
  hold(world: World, sessions: number): Promise<Holding>;
}

export interface Holding {
  /** connects a client that receives what one of the sessions shows */
  follow(): Promise<Following>;
  /** lists the sessions; null if the program has no command for that */
  list: readonly string[] | null;
}

export interface Following {
  /** the terminal that the session's agent writes to */
  terminal: string;
  /** the age of each write when the client had it, in milliseconds */
  ages: readonly number[];
}

/** The processes of a world that hold its sessions: all but the agents. */
export const holders = (world: World): number[] =>
  world
    .processes()
    .filter(({ command }) => !WAITING_AGENT.test(command))
    .map(({ pid }) => pid);

/** Returns the terminals that the agents of a world write to, in the order in which the agents were started. */
export function agentTerminals(world: World): string[] {
  return world
    .processes()
    .filter(({ command }) => WAITING_AGENT.test(command))
    .sort((one, other) => one.pid - other.pid)
    .map(({ pid }) => terminalOf(pid));
}

/** Returns the controlling terminal of a process: its number is field 7 of /proc/PID/stat. */
function terminalOf(pid: number): string {
  const device = Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[4]);
  // The minor number: its low 8 bits, and 12 more above the major number. Pseudo-terminals have majors from 136 on.
  const major = (device >> 8) & 0xfff;
  return `/dev/pts/${(major - 136) * 256 + ((device & 0xff) | ((device >> 12) & 0xfff00))}`;
}

/** Returns the share of shared memory and all other memory of the processes (PSS), in MB. */
export function sharedMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
  return kilobytes.reduce((sum, one) => sum + Number(one) / 1_024, 0);
}

/** Collects the ages of the writes in a stream of text that arrives in pieces. */
export function collectAges(): { ages: number[]; add(text: string): void } {
  const ages: number[] = [];
  let rest = '';
  return {
    ages,
    add(text) {
      rest += text;
      // A stamp may be cut in two. One that is whole is found at once, so that its age is not that of the next piece.
      const end = Math.max(rest.lastIndexOf('\u0007'), rest.lastIndexOf('\\007')) + 1;
      if (end === 0) return;
      ages.push(...agesIn(rest.slice(0, end + 3)));
      rest = rest.slice(end);
    },
  };
}
