import { CatalogueError, type ForgeName, type PullRequest } from '../../protocol/index.ts';
import type { ForgeRepository } from './address.ts';
import type { Access, Forge, ForgeOptions } from './forge.ts';
import { GITHUB } from './gh.ts';
import { GITLAB } from './glab.ts';

export const FORGES: Readonly<Record<ForgeName, Forge>> = { github: GITHUB, gitlab: GITLAB };

/** glab comes first, because it sends nothing to a host that it has no login for. */
const IN_TURN: readonly ForgeName[] = ['gitlab', 'github'];

/**
 * Finds out on which kind of forge a repository is: the one whose program the user has logged in to the host with. Also
 * returns the branch's open pull request there. A host's name alone does not tell the kind of forge.
 * @throws CatalogueError gh_not_found, gh_not_logged_in, gh_failed, glab_not_logged_in, glab_failed
 */
export async function findForge(
  repository: ForgeRepository,
  branch: string,
  options: ForgeOptions,
): Promise<{ forge: ForgeName; existing: PullRequest | null }> {
  const refused = new Map<ForgeName, Access>();
  for (const forge of IN_TURN) {
    const found = await FORGES[forge].find(repository, branch, options);
    if (found.access === 'granted') return { forge, existing: found.request };
    refused.set(forge, found.access);
  }
  throw noAccess(repository.host, refused);
}

function noAccess(host: string, refused: ReadonlyMap<ForgeName, Access>): CatalogueError {
  const hasGh = refused.get('github') !== 'no_program';
  const hasGlab = refused.get('gitlab') !== 'no_program';
  if (!hasGh && !hasGlab) return new CatalogueError('gh_not_found', 'Neither `gh` nor `glab` was found');
  const message = hasGh && hasGlab ? `Neither gh nor glab is` : `${hasGh ? 'gh' : 'glab'} isn't`;
  const gh = `${hasGh ? '' : 'install gh (https://cli.github.com) and '}run \`gh auth login --hostname ${host}\``;
  const glab = `${hasGlab ? '' : 'install glab (https://gitlab.com/gitlab-org/cli) and '}run \`glab auth login --hostname ${host}\``;
  return new CatalogueError(hasGh ? 'gh_not_logged_in' : 'glab_not_logged_in', `${message} logged in to ${host}`, {
    hint: `If ${host} is GitHub, ${gh}. If it is GitLab, ${glab}. Then try again; nothing was changed on the forge`,
  });
}
