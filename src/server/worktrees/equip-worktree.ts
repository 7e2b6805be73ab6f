import type { Worktree } from '../../protocol/index.ts';
import type { SessionPlace } from './place-session.ts';
import type { Ports } from './ports.ts';
import type { SetUps } from './set-ups.ts';

export interface Equipment {
  setUps: Pick<SetUps, 'plan'>;
  ports: Ports;
}

/**
 * Gives a session's worktree a port and a set-up, and reserves the port until `work` has listed the session.
 * @param wantsSetUp whether the worktree should get a set-up
 * @throws CatalogueError no_free_port, invalid_setting; in that case, everything that was created for the session is
 * removed
 */
export async function withEquipment<T>(
  equipment: Equipment,
  { place, wantsSetUp }: { place: SessionPlace; wantsSetUp: boolean },
  work: (worktree: Worktree | null) => Promise<T>,
): Promise<T> {
  const { worktree } = place;
  if (worktree === null) return work(null);
  const { port, set_up, release } = await equip(equipment, worktree).catch(async (cause: unknown) => {
    await place.undo();
    throw cause;
  });
  try {
    const chosen = set_up === null || wantsSetUp ? set_up : { ...set_up, state: 'skipped' as const };
    return await work({ ...worktree, port, ...(chosen === null ? {} : { set_up: chosen }) });
  } finally {
    release();
  }
}

async function equip({ setUps, ports }: Equipment, { repository }: Worktree) {
  const set_up = await setUps.plan(repository);
  return { set_up, ...(await ports.reserve()) };
}
