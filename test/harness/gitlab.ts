import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiCall, type ForgeServer, startForgeServer, TOKEN } from './forge-server.ts';
import type { WorktreeRepository } from './worktree-repository.ts';
import type { World } from './world.ts';

/** A merge request as GitLab's API describes it. */
export interface MergeRequest {
  iid: number;
  web_url: string;
  source_branch: string;
  target_branch: string;
  source_project_id: number;
  target_project_id: number;
  title: string;
  description: string;
  state: 'opened' | 'closed' | 'locked' | 'merged';
  head_pipeline: { status: string } | null;
}

/**
 * A stand-in for GitLab on loopback, for the real `glab` and the real git. It has the API and the repository
 * acme/web/shop, which is in a subgroup.
 */
export interface GitLab extends ForgeServer {
  requests: MergeRequest[];
  /** the API calls: `POST /projects/acme%2Fweb%2Fshop/merge_requests` */
  calls: string[];
  /** every token that `glab` sent */
  tokens: Set<string>;
  /** writes glab's configuration: a login as `glab auth login` stores it, or only other settings */
  logIn(how: { token?: string | null; settings?: string }): void;
  /** adds a merge request, as somebody else would open it */
  add(request: Partial<MergeRequest>): MergeRequest;
}

const PROJECT = 7;
const REQUESTS = '/projects/acme%2Fweb%2Fshop/merge_requests';

/**
 * Starts a GitLab, logs the world's `glab` and git in to it, and makes it a repository's remote `origin`.
 * @param pipeline the status of the pipeline that runs for each new merge request; null if none runs
 */
export async function startGitLab(
  world: World,
  local: WorktreeRepository,
  pipeline: string | null = null,
): Promise<GitLab> {
  const requests: MergeRequest[] = [];
  const calls: string[] = [];
  const tokens = new Set<string>();

  function add(request: Partial<MergeRequest>): MergeRequest {
    const iid = requests.length + 1;
    const made: MergeRequest = {
      ...{ iid, web_url: `https://${server.repository}/-/merge_requests/${iid}` },
      ...{ source_branch: '', target_branch: 'main', source_project_id: PROJECT, target_project_id: PROJECT },
      ...{
        title: '',
        description: '',
        state: 'opened',
        head_pipeline: pipeline === null ? null : { status: pipeline },
      },
      ...request,
    };
    requests.push(made);
    return made;
  }

  function answer({ method, url, headers, body }: ApiCall): [number, unknown] {
    const path = url.pathname.replace('/api/v4', '');
    calls.push(`${method} ${path}`);
    const token = headers['private-token'];
    if (typeof token === 'string') tokens.add(token);
    // As on gitlab.com, everybody can read the project.
    const isAnonymous = token === undefined && method === 'GET' && path !== '/user';
    if (token !== TOKEN && !isAnonymous) return [401, { message: '401 Unauthorized' }];
    if (path === '/user') return [200, { id: 1, username: 'me' }];
    const one = requests.find(({ iid }) => path === `${REQUESTS}/${iid}`);
    if (one !== undefined) return [200, one];
    if (path !== REQUESTS) return [404, { message: '404 Project Not Found' }];
    if (method === 'GET') {
      const branch = url.searchParams.get('source_branch');
      const state = url.searchParams.get('state');
      return [200, requests.filter((found) => found.source_branch === branch && found.state === state)];
    }
    if (headers['content-type'] !== 'application/json') return [415, { error: 'The content-type is not supported' }];
    const { source_branch, target_branch, title, description } = body as Record<string, string>;
    // Answers whose message is not a text: glab up to 1.53 prints the status, but not the body.
    if (server.branch(source_branch ?? '') === '') return [400, { message: { base: ['no branch'] } }];
    if (requests.some((found) => found.source_branch === source_branch && found.state === 'opened')) {
      return [409, { message: ['Another open merge request already exists for this source branch: !1'] }];
    }
    return [201, add({ source_branch: source_branch ?? '', ...{ target_branch, title, description } } as MergeRequest)];
  }

  // This is what `glab auth login` writes.
  const helper = '!glab auth git-credential';
  const server = await startForgeServer(world, local, { name: 'acme/web/shop', helper, answer });
  const glabDir = join(world.home, '.config', 'glab-cli');
  mkdirSync(glabDir, { recursive: true });
  const logIn: GitLab['logIn'] = ({ token = TOKEN, settings = '' }) => {
    const login = `hosts:\n    ${server.host}:\n        token: ${token}\n        api_protocol: https\n        user: me\n`;
    // glab refuses a configuration that others may read.
    writeFileSync(join(glabDir, 'config.yml'), `${settings}\n${token === null ? '' : login}`, { mode: 0o600 });
  };
  logIn({});
  return { ...server, requests, calls, tokens, logIn, add };
}
