import { CatalogueError, type PullRequest, type PullRequestChecks } from '../../protocol/index.ts';
import type { RunResult } from '../process/index.ts';
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

const runGh = (host: string, args: readonly string[], options: ForgeOptions): Promise<RunResult> =>
  runForge('gh', ['api', '--include', ...args], { ...options, variables: { GH_HOST: host } });

const askGh = async (host: string, args: readonly string[], options: ForgeOptions): Promise<Answer> =>
  readAnswer('gh', host, await runGh(host, args, options));

export const GITHUB: Forge = {
  find: async (repository, branch, options) => {
    const { owner, name, host } = repository;
    const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'open', per_page: '1' });
    const ran = await runGh(host, [`repos/${owner}/${name}/pulls?${query}`], options);
    if (ran.code !== 0) {
      // gh also asks a host that it has no login for (2.23).
      const access = await askAccess('gh', host, options);
      if (access !== 'granted') return { access };
    }
    const found = requireSuccess('gh', repository, readAnswer('gh', host, ran));
    const [first] = Array.isArray(found) ? (found as unknown[]) : [];
    return { access: 'granted', request: first === undefined ? null : readRequest(repository, first, options) };
  },

  create: async (repository, request, options) => {
    const { owner, name, host } = repository;
    const { draft, ...texts } = request;
    const fields = Object.entries(texts).flatMap(([key, value]) => ['--raw-field', `${key}=${value}`]);
    const path = `repos/${owner}/${name}/pulls`;
    const answer = await askGh(host, ['--method', 'POST', path, ...fields, '--field', `draft=${draft}`], options);
    if (answer.status === 422) {
      const found = await GITHUB.find(repository, request.head, options);
      if (found.access === 'granted' && found.request !== null) return null;
    }
    return readRequest(repository, requireSuccess('gh', repository, answer), options);
  },

  readState: async (repository, known, options) => {
    const { owner, name, host } = repository;
    const texts = [`query=${STATE_QUERY}`, `owner=${owner}`, `name=${name}`].flatMap((text) => ['--raw-field', text]);
    const answer = await askGh(host, ['graphql', ...texts, '--field', `number=${known.number}`], options);
    const { data } = asObject(requireSuccess('gh', repository, answer));
    const found = asObject(asObject(asObject(data).repository).pullRequest);
    const state = STATES[asText(found.state) ?? ''];
    if (state === undefined) {
      throw new CatalogueError('gh_failed', `${repositoryText(repository)} no longer has pull request ${known.number}`);
    }
    const { nodes } = asObject(found.commits);
    const [last] = Array.isArray(nodes) ? (nodes as unknown[]) : [];
    const rollup = asText(asObject(asObject(asObject(last).commit).statusCheckRollup).state);
    const checks = rollup === null ? 'none' : (CHECKS[rollup] ?? 'pending');
    const base = asText(found.baseRefName) ?? known.base;
    return { ...known, base, state, checks, checked_at: new Date(options.now()).toISOString() };
  },
};

function readRequest(repository: ForgeRepository, body: unknown, { now }: ForgeOptions): PullRequest {
  const { html_url: url, number, base } = asObject(body);
  const of = { program: 'gh', forge: 'github', repository, now } as const;
  return openRequest(of, { url, number, base: asObject(base).ref });
}

const STATE_QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    state baseRefName commits(last: 1) { nodes { commit { statusCheckRollup { state } } } }
  } }
}`;

/** What GitHub's states mean. A state that GitHub introduces later never counts as success. */
const CHECKS: Readonly<Record<string, PullRequestChecks>> = {
  SUCCESS: 'passing',
  FAILURE: 'failing',
  ERROR: 'failing',
  PENDING: 'pending',
  EXPECTED: 'pending',
};
const STATES: Readonly<Record<string, PullRequest['state']>> = { OPEN: 'open', MERGED: 'merged', CLOSED: 'closed' };
