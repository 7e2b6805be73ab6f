import { readFileSync } from 'node:fs';

/** `getconf CLK_TCK` on every Linux that CBOS runs on. */
const TICKS_PER_SECOND = 100;

/** Returns the user and system time of a process with all its threads, in seconds, exact to 10 ms. */
export function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
