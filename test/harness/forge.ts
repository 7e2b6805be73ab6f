import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeCertificates } from '../../src/platform/nats/certificates.ts';
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
export interface Forge {
  /** HOST:PORT */
  host: string;
  /** HOST/OWNER/NAME of its repository */
  repository: string;
  /** its repository's address for git */
  address: string;
  requests: KeptRequest[];
  /** the API calls: `POST /repos/acme/shop/pulls` */
  calls: string[];
  /** returns the commit of a branch there; empty if there is none */
  branch(name: string): string;
  /** sets whether `gh` is logged in, which it is at first */
  logIn(isLoggedIn: boolean): void;
}

const TOKEN = 'a-token-of-the-person';
const REPOSITORY = '/acme/shop.git';

/** Starts a forge, logs the world's `gh` and git in to it, and makes it a repository's remote `origin`. */
export async function startForge(world: World, local: WorktreeRepository): Promise<Forge> {
  const dir = join(world.dir, 'forge');
  const bare = join(dir, REPOSITORY);
  mkdirSync(bare, { recursive: true });
  local.gitIn(bare, 'init', '--quiet', '--bare', '--initial-branch', 'main');
  local.gitIn(bare, 'config', 'http.receivepack', 'true');
  const { authority, certFile, keyFile } = await makeCertificates({ dir, host: 'localhost', openssl: 'openssl' });
  const caFile = join(dir, 'authority.pem');
  writeFileSync(caFile, authority);

  const requests: KeptRequest[] = [];
  const calls: string[] = [];
  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    if (request.url?.startsWith(REPOSITORY) === true) serveGit({ request, response, dir, path: world.env.PATH ?? '' });
    else void answerApi(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.onDispose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `localhost:${(server.address() as AddressInfo).port}`;

  async function answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', `https://${host}`);
    const path = pathname.replace('/api/v3', '').replace('/api/', '/');
    calls.push(`${request.method} ${path}`);
    const send = (status: number, answer: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    if (request.headers.authorization !== `token ${TOKEN}`) return send(401, { message: 'Bad credentials' });
    const given = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
    if (path === '/graphql') {
      const { number } = given.variables as { number: number };
      const found = requests.find((one) => one.number === number);
      if (found === undefined) return send(200, { data: { repository: { pullRequest: null } } });
      const statusCheckRollup = found.checks === null ? null : { state: found.checks };
      const commits = { nodes: [{ commit: { statusCheckRollup } }] };
      const pullRequest = { state: found.state, baseRefName: found.base.ref, commits };
      return send(200, { data: { repository: { pullRequest } } });
    }
    if (path !== '/repos/acme/shop/pulls') return send(404, { message: 'Not Found' });
    if (request.method === 'GET') {
      const head = searchParams.get('head');
      return send(
        200,
        requests.filter((one) => `acme:${one.head}` === head && one.state === 'OPEN'),
      );
    }
    const { title, head, base, body: text, draft } = given as Record<string, string>;
    if (branch(head ?? '') === '') return send(422, { message: 'Validation Failed', errors: [{ message: 'no head' }] });
    if (requests.some((one) => one.head === head && one.state === 'OPEN')) {
      return send(422, { message: 'Validation Failed', errors: [{ message: 'A pull request already exists' }] });
    }
    const number = requests.length + 1;
    const made: KeptRequest = {
      ...{ number, html_url: `https://${host}/acme/shop/pull/${number}`, head: head ?? '', base: { ref: base ?? '' } },
      ...{ title: title ?? '', body: text ?? '', draft: Boolean(draft), state: 'OPEN', checks: null },
    };
    requests.push(made);
    send(201, made);
  }

  const branch = (name: string): string =>
    local.gitIn(bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);
  const ghDir = join(world.home, '.config', 'gh');
  mkdirSync(ghDir, { recursive: true });
  const logIn = (isLoggedIn: boolean): void => {
    const login = `${host}:\n    user: me\n    oauth_token: ${TOKEN}\n    git_protocol: https\n`;
    writeFileSync(join(ghDir, 'hosts.yml'), isLoggedIn ? login : '');
  };
  logIn(true);
  // This is what `gh auth setup-git` writes.
  const helper = `[credential "https://${host}"]\n\thelper = !gh auth git-credential\n`;
  appendFileSync(join(world.home, '.gitconfig'), `[http]\n\tsslCAInfo = ${caFile}\n${helper}`);
  Object.assign(world.env, { SSL_CERT_FILE: caFile });
  const address = `https://${host}${REPOSITORY}`;
  local.git('remote', 'add', 'origin', address);
  return { host, repository: `${host}/acme/shop`, address, requests, calls, branch, logIn };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Runs git's own server the way a web server does. */
function serveGit(of: { request: IncomingMessage; response: ServerResponse; dir: string; path: string }): void {
  const { request, response, dir, path } = of;
  const login = `Basic ${Buffer.from(`me:${TOKEN}`).toString('base64')}`;
  if (request.headers.authorization !== login) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
    return;
  }
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: path,
      GIT_PROJECT_ROOT: dir,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REMOTE_USER: 'me',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin);
  child.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.once('close', () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const fields = answer
      .subarray(0, end)
      .toString('latin1')
      .split('\r\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
    const status = fields.find(([name]) => name === 'Status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields.filter(([name]) => name !== 'Status')));
    response.end(answer.subarray(end + 4));
  });
}
