import { CatalogueError, type ForgeName, type PullRequest } from '../../protocol/index.ts';
import { type RunResult, runProgram } from '../process/index.ts';
import { type ForgeRepository, repositoryText } from './address.ts';
import type { Access, ForgeOptions } from './forge.ts';
import { personEnvironment } from './person-environment.ts';

export type ForgeProgram = 'gh' | 'glab';

/** How long one request may take. gh itself does not wait longer than this for an answer. */
const TIMEOUT_MS = 30_000;

/**
 * Runs a forge's program as the user would. Only this program knows the user's login. It runs outside the repository,
 * so that it does not read the repository's configuration.
 */
export function runForge(
  program: ForgeProgram,
  args: readonly string[],
  { environment, signal, variables, input }: ForgeOptions & { variables?: Record<string, string>; input?: string },
): Promise<RunResult> {
  const env = { ...personEnvironment(environment), ...variables };
  const given = input === undefined ? {} : { input };
  return runProgram(program, args, { env, timeoutMs: TIMEOUT_MS, cwd: '/', signal, ...given });
}

/**
 * Asks a forge's program whether it has a login for a host. Without one, the program sends nothing to the host. If it
 * has one, the login need not be valid.
 */
export async function askAccess(program: ForgeProgram, host: string, options: ForgeOptions): Promise<Access> {
  const { outcome, stdout, stderr } = await runForge(program, ['auth', 'status', '--hostname', host], options);
  if (outcome === 'not_found') return 'no_program';
  // The program waits for the host only if it knows the host.
  if (outcome === 'timed_out') return 'granted';
  // Both programs print a host that they know in a line of its own, followed by what they know about it. The exit code
  // tells nothing: glab 1.33 always ends with 0.
  return `${stdout}\n${stderr}`.split('\n').includes(host) ? 'granted' : 'no_login';
}

export interface Answer {
  status: number;
  body: unknown;
}

/**
 * Returns the response that `gh api --include` or `glab api --include` printed.
 * @throws CatalogueError of the program: not_found, not_logged_in, failed
 */
export function readAnswer(program: ForgeProgram, host: string, ran: RunResult): Answer {
  if (ran.outcome === 'not_found') throw new CatalogueError(`${program}_not_found`);
  const answer = parseAnswer(ran.stdout);
  if (answer?.status === 401) throw notLoggedIn(program, host);
  if (answer !== null) return answer;
  const said = ran.outcome === 'timed_out' ? 'there was no answer' : lastLine(ran.stderr);
  throw new CatalogueError(`${program}_failed`, `${program} could not reach ${host}: ${said}`);
}

/** The output consists of a status line, headers, an empty line, and the body. */
function parseAnswer(printed: string): Answer | null {
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

function notLoggedIn(program: ForgeProgram, host: string): CatalogueError {
  return new CatalogueError(`${program}_not_logged_in`, `${program} isn't logged in to ${host}`, {
    hint: `Run \`${program} auth login --hostname ${host}\`, then try again; nothing was changed on the forge`,
  });
}

/** @throws CatalogueError of the program: failed, if the response does not indicate success */
export function requireSuccess(program: ForgeProgram, repository: ForgeRepository, { status, body }: Answer): unknown {
  if (status >= 200 && status < 300) return body;
  // A forge does not reveal that a repository exists to users who may not see it.
  const isHidden = status === 404 || status === 403;
  const why = isHidden ? 'it does not exist, or your login lacks permission' : reasonsIn(body).slice(0, 500);
  const name = repositoryText(repository);
  throw new CatalogueError(
    `${program}_failed`,
    `${name} refused the request (HTTP ${status}): ${why || `${program} gave no reason`}`,
  );
}

/** GitHub gives a text, and perhaps errors with texts of their own. GitLab gives a text or a list of texts. */
function reasonsIn(body: unknown): string {
  const { message, errors } = asObject(body);
  const texts = [message, errors].flat().flatMap((one) => asText(one) ?? asText(asObject(one).message) ?? []);
  return texts.join('; ');
}

/** @throws CatalogueError of the program: failed, if the forge returned something else than a pull request */
export function openRequest(
  of: { program: ForgeProgram; forge: ForgeName; repository: ForgeRepository; now: () => number },
  found: { url: unknown; number: unknown; base: unknown },
): PullRequest {
  const { program, forge, now } = of;
  const repository = repositoryText(of.repository);
  const { number } = found;
  const [url, base] = [asText(found.url), asText(found.base)];
  if (url === null || typeof number !== 'number' || base === null) {
    throw new CatalogueError(`${program}_failed`, `${repository} returned no pull request`);
  }
  const checked_at = new Date(now()).toISOString();
  return { url, number, forge, repository, base, state: 'open', checks: 'none', checked_at };
}

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
export const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
