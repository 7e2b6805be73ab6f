import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** Kills all processes of a world at once and without warning, as a reboot does. Resolves when none is left. */
export async function killAll(world: Pick<World, 'processes'>): Promise<void> {
  for (const { pid } of world.processes()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended together with the previous one.
    }
  }
  await waitFor(() => world.processes().length === 0, { describe: 'nothing runs any more' });
}
