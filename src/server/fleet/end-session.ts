import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import { type ScreenHost, wipeScreen } from '../../platform/gnu-screen/index.ts';
import { endTree } from '../../platform/process/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * Ends the whole process tree of a session and proves it. Not through the mailbox: who ends a session does not wait for
 * an answer that is being typed into it.
 * @throws CatalogueError session_dead, not_adopted, kill_failed with the processes that are left
 */
export async function endScreenSession({ screen }: { screen: ScreenHost }, actor: SessionActor): Promise<void> {
  const { id } = actor.target;
  const { daemon, agent, launchId } = actor.record;
  const { left } = await endTree({
    roots: daemon === null ? [] : [daemon],
    first: agent,
    mark: launchId === null ? null : { name: LAUNCH_VARIABLE, value: launchId },
  });
  if (left.length > 0) {
    const named = left.map((one) => `${one.pid} (${one.comm})`).join(', ');
    throw new CatalogueError('kill_failed', `${actor.slug}: could not end ${named}`);
  }
  await wipeScreen(screen, id);
}
