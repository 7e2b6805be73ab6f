/**
 * Merge requests on GitLab, through the user's own `glab`. What glab prints was observed with glab 1.33 (Debian 12
 * backports) and 1.53 (Debian 13). The paths and fields of the API are those of
 * https://docs.gitlab.com/api/merge_requests/ and https://docs.gitlab.com/api/pipelines/.
 */
import { CatalogueError, type PullRequest, type PullRequestChecks } from '../../protocol/index.ts';
import { type ForgeRepository, repositoryText } from './address.ts';
import type { Forge, ForgeOptions } from './forge.ts';
import {
  type Answer,
  askAccess,
  asObject,
  asText,
  openRequest,
  readAnswer,
  requireSuccess,
  runForge,
} from './forge-answer.ts';

/** The largest number of merge requests that GitLab lists at once. */
const PER_PAGE = 100;

/**
 * The host is in the environment, because `glab api --hostname` refuses a host with a port. The exit code tells
 * nothing: glab 1.33 ends with 0 even after some refused requests.
 */
async function askGlab(host: string, args: readonly string[], options: ForgeOptions, input?: string): Promise<Answer> {
  const more = { variables: { GITLAB_HOST: host }, ...(input === undefined ? {} : { input }) };
  return readAnswer('glab', host, await runForge('glab', ['api', '--include', ...args], { ...options, ...more }));
}

export const GITLAB: Forge = {
  find: async (repository, branch, options) => {
    const { host } = repository;
    // glab would send a token that the user has configured for no particular host to every host.
    const access = await askAccess('glab', host, options);
    if (access !== 'granted') return { access };
    // glab knows gitlab.com even if nobody is logged in there, and everybody can read a public project.
    requireSuccess('glab', repository, await askGlab(host, ['user'], options));
    const query = new URLSearchParams({ source_branch: branch, state: 'opened', per_page: `${PER_PAGE}` });
    const answer = await askGlab(host, [`${requestsOf(repository)}?${query}`], options);
    const found = requireSuccess('glab', repository, answer);
    const all = Array.isArray(found) ? (found as unknown[]) : [];
    const own = all.find((one) => isFromSameProject(asObject(one)));
    return { access, request: own === undefined ? null : readRequest(repository, own, options) };
  },

  create: async (repository, { head, base, title, body, draft }, options) => {
    // The API has no other way to mark a draft. The request is sent as it is, because glab 1.53 turns a text such as
    // "[fix]" in a --raw-field into a list.
    const request = {
      ...{ source_branch: head, target_branch: base, description: body },
      title: draft ? `Draft: ${title}` : title,
    };
    const args = ['--method', 'POST', requestsOf(repository), '--header', 'Content-Type: application/json'];
    const input = JSON.stringify(request);
    const answer = await askGlab(repository.host, [...args, '--input', '-'], options, input);
    if (answer.status === 409) {
      const found = await GITLAB.find(repository, head, options);
      if (found.access === 'granted' && found.request !== null) return null;
    }
    return readRequest(repository, requireSuccess('glab', repository, answer), options);
  },

  readState: async (repository, known, options) => {
    const answer = await askGlab(repository.host, [`${requestsOf(repository)}/${known.number}`], options);
    const found = asObject(requireSuccess('glab', repository, answer));
    const state = STATES[asText(found.state) ?? ''];
    if (state === undefined) {
      throw new CatalogueError('glab_failed', `${repositoryText(repository)} returned no merge request`);
    }
    const pipeline = asText(asObject(found.head_pipeline).status);
    const checks = pipeline === null ? 'none' : (CHECKS[pipeline] ?? 'pending');
    const base = asText(found.target_branch) ?? known.base;
    return { ...known, base, state, checks, checked_at: new Date(options.now()).toISOString() };
  },
};

function requestsOf({ owner, name }: ForgeRepository): string {
  return `projects/${encodeURIComponent(`${owner}/${name}`)}/merge_requests`;
}

/** GitLab also lists merge requests from forks whose branch has the same name. */
function isFromSameProject(request: Record<string, unknown>): boolean {
  return request.source_project_id === request.target_project_id;
}

function readRequest(repository: ForgeRepository, body: unknown, { now }: ForgeOptions): PullRequest {
  const { web_url: url, iid: number, target_branch: base } = asObject(body);
  return openRequest({ program: 'glab', forge: 'gitlab', repository, now }, { url, number, base });
}

/** What GitLab's states of a pipeline mean. Any other state, including one that GitLab introduces later, is pending. */
const CHECKS: Readonly<Record<string, PullRequestChecks>> = {
  success: 'passing',
  failed: 'failing',
  canceled: 'failing',
  skipped: 'none',
};
/** A merge request is locked while GitLab merges it. */
const STATES: Readonly<Record<string, PullRequest['state']>> = {
  opened: 'open',
  locked: 'open',
  merged: 'merged',
  closed: 'closed',
};
