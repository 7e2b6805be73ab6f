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

/** The token with which the world's user is logged in to every forge. */
export const TOKEN = 'a-token-of-the-person';

/** A request to the API of a forge. */
export interface ApiCall {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
}

export interface ForgeServer {
  /** HOST:PORT */
  host: string;
  /** HOST/OWNER/NAME of its repository */
  repository: string;
  /** its repository's address for git */
  address: string;
  /** the folder of its repository */
  bare: string;
  /** returns the commit of a branch there; empty if there is none */
  branch(name: string): string;
}

/**
 * Starts an HTTPS server with one repository on loopback, and makes it a repository's remote `origin`. The world's git
 * logs in there through a program of the forge.
 */
export async function startForgeServer(
  world: World,
  local: WorktreeRepository,
  forge: {
    /** OWNER/NAME of its repository */
    name: string;
    /** the command that gives git the user's login, as the forge's program configures it */
    helper: string;
    /** answers a request to the API with a status and a body */
    answer(call: ApiCall): [status: number, body: unknown];
  },
): Promise<ForgeServer> {
  const dir = join(world.dir, 'forge');
  const path = `/${forge.name}.git`;
  const bare = join(dir, path);
  mkdirSync(bare, { recursive: true });
  local.gitIn(bare, 'init', '--quiet', '--bare', '--initial-branch', 'main');
  local.gitIn(bare, 'config', 'http.receivepack', 'true');
  const { authority, certFile, keyFile } = await makeCertificates({ dir, host: 'localhost', openssl: 'openssl' });
  const caFile = join(dir, 'authority.pem');
  writeFileSync(caFile, authority);

  const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (request, response) => {
    if (request.url?.startsWith(path) === true) {
      serveGit({ request, response, dir, path: world.env.PATH ?? '' });
    } else void answerApi(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.onDispose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `localhost:${(server.address() as AddressInfo).port}`;

  async function answerApi(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const text = await readBody(request);
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    const [status, answer] = forge.answer({
      ...{ method, headers, body },
      url: new URL(request.url ?? '/', `https://${host}`),
    });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  const helper = `[credential "https://${host}"]\n\thelper = ${forge.helper}\n`;
  appendFileSync(join(world.home, '.gitconfig'), `[http]\n\tsslCAInfo = ${caFile}\n${helper}`);
  Object.assign(world.env, { SSL_CERT_FILE: caFile });
  const address = `https://${host}${path}`;
  local.git('remote', 'add', 'origin', address);
  const branch = (name: string): string =>
    local.gitIn(bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`);
  return { host, repository: `${host}/${forge.name}`, address, bare, branch };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Runs git's own server the way a web server does. */
function serveGit(of: { request: IncomingMessage; response: ServerResponse; dir: string; path: string }): void {
  const { request, response, dir, path } = of;
  // With a token, forges ignore the name. glab 1.33 sends the user's own name, and glab 1.53 sends "oauth2".
  const [, login = ''] = request.headers.authorization?.split('Basic ') ?? [];
  if (!Buffer.from(login, 'base64').toString('utf8').endsWith(`:${TOKEN}`)) {
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
