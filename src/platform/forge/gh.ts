import { CatalogueError, type PullRequest, type PullRequestChecks } from '../../protocol/index.ts';
import { runProgram } from '../process/index.ts';
import { type ForgeRepository, repositoryText } from './address.ts';
import { personEnvironment } from './person-environment.ts';

export interface GhOptions {
  /** the environment of the server itself */
  environment: Readonly<Record<string, string | undefined>>;
  /** aborted when the server ends, which also ends gh */
  signal: AbortSignal;
  now(): number;
}

/** How long one request may take. gh itself does not wait longer than this for an answer. */
const TIMEOUT_MS = 30_000;
/** The exit code of gh if no one is logged in. */
const EXIT_NO_LOGIN = 4;

interface Answer {
  status: number;
  body: unknown;
}

/**
 * Sends a request to a forge through the user's own `gh`, because only `gh` knows the user's login. It runs outside the
 * repository, so that it does not read the repository's configuration.
 * @throws CatalogueError gh_not_found, gh_not_logged_in, gh_failed
 */
async function askGh(host: string, args: readonly string[], { environment, signal }: GhOptions): Promise<Answer> {
  const env = { ...personEnvironment(environment), GH_HOST: host };
  const ran = await runProgram('gh', ['api', '--include', ...args], { env, timeoutMs: TIMEOUT_MS, cwd: '/', signal });
  if (ran.outcome === 'not_found') throw new CatalogueError('gh_not_found');
  const answer = readAnswer(ran.stdout);
  if (ran.code === EXIT_NO_LOGIN || answer?.status === 401) {
    throw new CatalogueError('gh_not_logged_in', `gh isn't logged in to ${host}`, {
      hint: `Run \`gh auth login --hostname ${host}\`, then try again; nothing was changed on the forge`,
    });
  }
  if (answer === null) {
    const said = ran.outcome === 'timed_out' ? 'there was no answer' : lastLine(ran.stderr);
    throw new CatalogueError('gh_failed', `gh could not reach ${host}: ${said}`);
  }
  return answer;
}

/** Parses the output of `gh api --include`, which consists of a status line, headers, an empty line, and the body. */
function readAnswer(printed: string): Answer | null {
  const [, status, body] = /^HTTP\/[\d.]+ (\d{3})[\s\S]*?\r?\n\r?\n([\s\S]*)$/.exec(printed) ?? [];
  if (status === undefined || body === undefined) return null;
  try {
    return { status: Number(status), body: body.trim() === '' ? null : JSON.parse(body) };
  } catch {
    return { status: Number(status), body: null };
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 300) || 'it gave no reason';
}

/** @throws CatalogueError gh_failed if the response does not indicate success */
function requireSuccess(repository: ForgeRepository, { status, body }: Answer): unknown {
  if (status >= 200 && status < 300) return body;
  const name = repositoryText(repository);
  // GitHub does not reveal that a repository exists to users who may not see it.
  const why = status === 404 || status === 403 ? 'it does not exist, or your login lacks permission' : messageIn(body);
  throw new CatalogueError('gh_failed', `${name} refused the request (HTTP ${status}): ${why}`);
}

function messageIn(body: unknown): string {
  const { message, errors } = asObject(body);
  const more = Array.isArray(errors) ? errors.flatMap((one) => asText(asObject(one).message) ?? []) : [];
  return [asText(message) ?? 'it gave no reason', ...more].join('; ').slice(0, 500);
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/**
 * Finds a branch's open pull request, or returns null if there is none.
 * @throws CatalogueError gh_not_found, gh_not_logged_in, gh_failed
 */
export async function findPullRequest(
  repository: ForgeRepository,
  branch: string,
  options: GhOptions,
): Promise<PullRequest | null> {
  const { owner, name, host } = repository;
  const query = new URLSearchParams({ head: `${owner}:${branch}`, state: 'open', per_page: '1' });
  const answer = await askGh(host, [`repos/${owner}/${name}/pulls?${query}`], options);
  const found = requireSuccess(repository, answer);
  const [first] = Array.isArray(found) ? (found as unknown[]) : [];
  return first === undefined ? null : readPullRequest(repository, first, options);
}

/**
 * Opens a pull request.
 * @returns null if the branch already has an open pull request
 * @throws CatalogueError gh_not_found, gh_not_logged_in, gh_failed
 */
export async function createPullRequest(
  repository: ForgeRepository,
  request: { head: string; base: string; title: string; body: string; draft: boolean },
  options: GhOptions,
): Promise<PullRequest | null> {
  const { owner, name, host } = repository;
  const { draft, ...texts } = request;
  const fields = Object.entries(texts).flatMap(([key, value]) => ['--raw-field', `${key}=${value}`]);
  const path = `repos/${owner}/${name}/pulls`;
  const answer = await askGh(host, ['--method', 'POST', path, ...fields, '--field', `draft=${draft}`], options);
  if (answer.status === 422 && (await findPullRequest(repository, request.head, options)) !== null) return null;
  return readPullRequest(repository, requireSuccess(repository, answer), options);
}

function readPullRequest(repository: ForgeRepository, body: unknown, { now }: GhOptions): PullRequest {
  const { html_url: address, number, base } = asObject(body);
  const url = asText(address);
  const into = asText(asObject(base).ref);
  if (url === null || typeof number !== 'number' || into === null) {
    throw new CatalogueError('gh_failed', `${repositoryText(repository)} returned no pull request`);
  }
  const at = { repository: repositoryText(repository), checked_at: new Date(now()).toISOString() };
  return { ...at, url, number, base: into, state: 'open', checks: 'none' };
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

/**
 * Reads the state of a pull request and of its checks.
 * @throws CatalogueError gh_not_found, gh_not_logged_in, gh_failed
 */
export async function readState(
  repository: ForgeRepository,
  known: PullRequest,
  options: GhOptions,
): Promise<PullRequest> {
  const { owner, name, host } = repository;
  const texts = ['--raw-field', `query=${STATE_QUERY}`, '--raw-field', `owner=${owner}`, '--raw-field', `name=${name}`];
  const answer = await askGh(host, ['graphql', ...texts, '--field', `number=${known.number}`], options);
  const { data } = asObject(requireSuccess(repository, answer));
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
}
