import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiCall, type ForgeServer, startForgeServer, TOKEN } from './forge-server.ts';
import type { WorktreeRepository } from './worktree-repository.ts';
import type { World } from './world.ts';

/** A pull request as the stand-in stores it. */
export interface KeptRequest {
  number: number;
  html_url: string;
  head: string;
  base: { ref: string };
  title: string;
  body: string;
  draft: boolean;
  state: 'OPEN' | 'MERGED' | 'CLOSED';
  checks: 'SUCCESS' | 'FAILURE' | 'PENDING' | null;
}

/**
 * A stand-in for GitHub on loopback, for the real `gh` and the real git. It has the API and the repository acme/shop.
 */
export interface Forge extends ForgeServer {
  requests: KeptRequest[];
  /** the API calls: `POST /repos/acme/shop/pulls` */
  calls: string[];
  /** sets whether `gh` is logged in, which it is at first */
  logIn(isLoggedIn: boolean): void;
}

/**
 * Starts a forge, logs the world's `gh` and git in to it, and makes it a repository's remote `origin`.
 * @param checks the state of the checks that run for each new pull request; null if none run
 */
export async function startForge(
  world: World,
  local: WorktreeRepository,
  checks: KeptRequest['checks'] = null,
): Promise<Forge> {
  const requests: KeptRequest[] = [];
  const calls: string[] = [];

  function answer({ method, url, headers, body: given }: ApiCall): [number, unknown] {
    const path = url.pathname.replace('/api/v3', '').replace('/api/', '/');
    calls.push(`${method} ${path}`);
    if (headers.authorization !== `token ${TOKEN}`) return [401, { message: 'Bad credentials' }];
    if (path === '/graphql') {
      const { number } = given.variables as { number: number };
      const found = requests.find((one) => one.number === number);
      if (found === undefined) return [200, { data: { repository: { pullRequest: null } } }];
      const statusCheckRollup = found.checks === null ? null : { state: found.checks };
      const commits = { nodes: [{ commit: { statusCheckRollup } }] };
      const pullRequest = { state: found.state, baseRefName: found.base.ref, commits };
      return [200, { data: { repository: { pullRequest } } }];
    }
    if (path !== '/repos/acme/shop/pulls') return [404, { message: 'Not Found' }];
    if (method === 'GET') {
      const head = url.searchParams.get('head');
      return [200, requests.filter((one) => `acme:${one.head}` === head && one.state === 'OPEN')];
    }
    const { title, head, base, body: text, draft } = given as Record<string, string>;
    if (server.branch(head ?? '') === '') {
      return [422, { message: 'Validation Failed', errors: [{ message: 'no head' }] }];
    }
    if (requests.some((one) => one.head === head && one.state === 'OPEN')) {
      return [422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] }];
    }
    const number = requests.length + 1;
    const html_url = `https://${server.repository}/pull/${number}`;
    const made: KeptRequest = {
      ...{ number, html_url, head: head ?? '', base: { ref: base ?? '' } },
      ...{ title: title ?? '', body: text ?? '', draft: Boolean(draft), state: 'OPEN', checks },
    };
    requests.push(made);
    return [201, made];
  }

  // This is what `gh auth setup-git` writes.
  const helper = '!gh auth git-credential';
  const server = await startForgeServer(world, local, { name: 'acme/shop', helper, answer });
  const ghDir = join(world.home, '.config', 'gh');
  mkdirSync(ghDir, { recursive: true });
  const logIn = (isLoggedIn: boolean): void => {
    const login = `${server.host}:\n    user: me\n    oauth_token: ${TOKEN}\n    git_protocol: https\n`;
    writeFileSync(join(ghDir, 'hosts.yml'), isLoggedIn ? login : '');
  };
  logIn(true);
  return { ...server, requests, calls, logIn };
}
