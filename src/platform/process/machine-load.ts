import { availableParallelism, loadavg } from 'node:os';

/**
 * Returns how many cores this process may use, and how many processes were running or ready to run, averaged over the
 * last minute.
 */
export function readMachineLoad(): { cores: number; load: number } {
  return { cores: availableParallelism(), load: loadavg()[0] ?? 0 };
}
