import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { type ScreenHost, type ScreenTarget, wipeScreen } from '../../platform/gnu-screen/index.ts';
import { endTree } from '../../platform/process/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';

/** The fields of a session that `endScreenSession` needs. */
interface Ended {
  readonly slug: string;
  readonly target: Pick<ScreenTarget, 'id'>;
  readonly record: Pick<SessionRecord, 'daemon' | 'agent' | 'launchId'>;
}

/**
 * Ends the whole process tree of a session, and verifies that no process is left. It does not go through the mailbox,
 * because ending a session must not wait until an answer has been typed into it.
 * @throws CatalogueError session_dead, not_adopted, kill_failed with the remaining processes
 */
export async function endScreenSession({ screen }: { screen: ScreenHost }, session: Ended): Promise<void> {
  const { id } = session.target;
  const { daemon, agent, launchId } = session.record;
  const { left } = await endTree({
    roots: daemon === null ? [] : [daemon],
    first: agent,
    mark: launchId === null ? null : { name: LAUNCH_VARIABLE, value: launchId },
  });
  if (left.length > 0) {
    const named = left.map((one) => `${one.pid} (${one.comm})`).join(', ');
    throw new CatalogueError('kill_failed', `${session.slug}: could not terminate ${named}`);
  }
  await wipeScreen(screen, id);
}
