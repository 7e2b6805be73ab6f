import { createHash } from 'node:crypto';
import type { FacesUnderTest } from './faces.ts';
import { callRoute } from './rest.ts';
import { createWorktreeRepository } from './worktree-repository.ts';
import type { World } from './world.ts';

/** Makes a repository that names a set-up, and returns what trusts it. */
export function namingSetUp(world: World): { path: string; sha256: string } {
  const { path, write } = createWorktreeRepository(world, 'repository-with-set-up');
  const content = 'set_up = "npm ci"\n';
  write('.cbos/worktree.toml', content);
  return { path, sha256: createHash('sha256').update(content).digest('hex') };
}

/** Makes such a repository, and trusts its set-up. */
export async function trustedSetUp(server: FacesUnderTest): Promise<{ path: string }> {
  const body = namingSetUp(server.world);
  await callRoute(server, 'trustSetUp', { body });
  return { path: body.path };
}
