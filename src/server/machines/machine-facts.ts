import { availableParallelism, loadavg } from 'node:os';
import type { MachineFacts, Session } from '../../protocol/index.ts';

/** Returns what this machine reports to the others about itself. */
export function machineFacts(sessions: readonly Session[], labels: readonly string[]): Omit<MachineFacts, 'may'> {
  const [lastMinute = 0] = loadavg();
  return {
    labels: [...labels],
    load: Math.round((lastMinute / availableParallelism()) * 100) / 100,
    running: sessions.filter(({ status }) => status.primary !== 'dead').length,
  };
}
