import { availableParallelism, loadavg } from 'node:os';

/** How many cores this process may use, and how many processes ran or wanted to, on average over the last minute. */
export function readMachineLoad(): { cores: number; load: number } {
  return { cores: availableParallelism(), load: loadavg()[0] ?? 0 };
}
