import type { Session } from '../src/protocol/index.ts';
import type { Cbos } from '../test/harness/cbos.ts';
import type { World } from '../test/harness/world.ts';

/** Starts a session with a real Claude Code, and waits until it is ready for a prompt. */
export async function startSession(cbos: Cbos, world: World, slug: string): Promise<Session> {
  const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  if (created.error !== null) throw new Error(created.error.message);
  return cbos.untilStatus(slug, 'idle/ready');
}
