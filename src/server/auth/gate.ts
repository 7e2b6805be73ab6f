/**
 * Decides which requests are accepted.
 *
 * - the server's names: `known-names.ts`
 * - the token: `token.ts`
 * - the limit on attempts with wrong tokens: `guesses.ts`
 * - browsers: `sign-ins.ts`
 * - how a page and its server authenticate each other: `passes.ts`
 * - what a process inside a session may do: `session-rights.ts`
 * - the sender of a request: `callers.ts`, `src/platform/process/peer.ts`
 * - the limit on connections: `src/server/http/connection-bounds.ts`
 * - who can reach the server: `src/server/http/reach.ts`
 */

import type { IncomingMessage } from 'node:http';
import { CatalogueError, PASS_HEADER, PASS_SUBPROTOCOL_PREFIX } from '../../protocol/index.ts';
import { readCookies } from './cookie.ts';
import type { Guesses } from './guesses.ts';
import type { KnownNames } from './known-names.ts';
import { type PageCredentials, type Passes, signInIsOver } from './passes.ts';
import type { SignIns } from './sign-ins.ts';
import type { TokenSource } from './token.ts';

/**
 * How a client is connected. Any process on the machine and any page in a browser can connect over TCP, whereas file
 * permissions protect the local socket.
 */
export type Transport = 'tcp' | 'unix';

/** This server's subprotocol, and the prefix of the subprotocol that contains a token. */
export const SUBPROTOCOL = 'cbos';
const TOKEN_SUBPROTOCOL_PREFIX = 'bearer.';

/** Paths other than the page's that need no token. They report whether the server is running. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/health']);

/**
 * The paths to which a page sends a link's code or the token, and through which the page and the server authenticate
 * each other.
 */
const SIGN_IN_PATHS: ReadonlySet<string> = new Set(['/sign-in', '/sign-in/challenge', '/sign-in/pass']);

/**
 * The path to which other programs send webhooks. `src/server/schedules/triggers.ts` receives them and checks their
 * signatures.
 */
const TRIGGER_PATH = /^\/triggers\/[\w-]+$/;

/** The header that browsers send only when they fetch the script of a service worker. */
export const WORKER_HEADER = 'service-worker';
export const WORKER_SCRIPT = 'script';

/** The values of `Sec-Fetch-Site` for requests started by one of our own pages or from the browser's address bar. */
const OWN_FETCH_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** What the gate has found out about an accepted request. */
export interface Admission {
  /** the path and query of the request, whichever form its request target has */
  target: string;
  /**
   * the URL of the same page at the only local address where browsers can sign in; null if the request already uses
   * that address or does not ask for a page
   */
  moved: string | null;
  /** whether the request contained a valid token or sign-in */
  isProven: boolean;
  /**
   * Reports whether the token or sign-in that opened the connection is still valid, because a connection can outlive
   * both.
   */
  isStillValid(): boolean;
}

export interface Gate {
  /**
   * Decides whether a request or an upgrade is accepted, before anything else handles it.
   * @throws CatalogueError forbidden_host, forbidden_origin, unauthorized, too_many_attempts
   */
  admit(request: IncomingMessage, transport: Transport): Admission;
}

/**
 * Checks every request. First, `Host` is compared with a fixed list. After DNS rebinding has pointed a foreign name to
 * this machine, a foreign page's `Origin` equals its `Host`, and only the list can show that both are foreign.
 * Responses never have a CORS header, so no foreign page can read them. Browsers do not separate cookies by port: they
 * add our cookie to the requests of every page on this machine, and send it to every port. Therefore the cookie counts
 * only together with a pass, which only a page from our own origin can get. A request that can change something also
 * needs one of our own `Origin` values.
 * @param options.isPageFile whether a path is a file of the web page; these files are not secret, because every copy of
 *   CBOS contains them
 */
export function createGate(options: {
  names: KnownNames;
  token: TokenSource;
  guesses: Guesses;
  signIns: Pick<SignIns, 'cookieName' | 'validUntil'>;
  passes: Pick<Passes, 'admit'>;
  isPageFile(path: string): boolean;
}): Gate {
  const { names, token, guesses, signIns, passes } = options;
  return {
    admit: (request, transport) => {
      const { authority, target } = splitTarget(request.url ?? '/');
      const origins = headerValues(request, 'origin');
      if (transport === 'unix') {
        // No browser can reach this socket directly. A program that forwarded a browser's requests to the socket would
        // give every web page access.
        if (origins.length > 0)
          throw new CatalogueError('forbidden_origin', 'The local socket does not serve web pages');
        return { target, moved: null, isProven: true, isStillValid: () => true };
      }
      const host = checkHost({ request, authority, names });
      checkOrigin({ origins, host, names });
      const open = openness(request, target, options.isPageFile);
      if (open === 'sign-in') checkPlaceOfSignIn({ request, host, names });
      if (open !== null) {
        const moved = open === 'page' ? names.ownAddress(host, portOf(request)) : null;
        return { target, moved, isProven: false, isStillValid: () => true };
      }
      const page = pageCredentials(request, signIns.cookieName);
      if (page !== null) {
        checkOwnPage(request, origins);
        const id = passes.admit(page);
        if (id === null) throw signInIsOver();
        return { target, moved: null, isProven: true, isStillValid: () => signIns.validUntil(id) !== null };
      }
      const given = tokenOf(request);
      if (given === null) throw new CatalogueError('unauthorized');
      if (!guesses.accepts(given, request.socket)) throw new CatalogueError('unauthorized', 'The token is not valid');
      return { target, moved: null, isProven: true, isStillValid: () => token.accepts(given) };
    },
  };
}

/**
 * Splits a request target in absolute form (`GET http://name/path`), which every HTTP server must accept. A plain path
 * has no authority.
 */
function splitTarget(url: string): { authority: string | null; target: string } {
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url);
  if (absolute === null) return { authority: null, target: url };
  const rest = absolute[2] ?? '';
  return { authority: absolute[1] ?? '', target: rest.startsWith('/') ? rest : `/${rest}` };
}

function checkHost(given: { request: IncomingMessage; authority: string | null; names: KnownNames }): string {
  const { request, authority, names } = given;
  const hosts = headerValues(request, 'host');
  const [host] = hosts;
  if (host === undefined) throw new CatalogueError('forbidden_host', 'The request has no Host header');
  if (hosts.length > 1) throw new CatalogueError('forbidden_host', 'The request has several Host headers');
  const port = portOf(request);
  for (const name of authority === null ? [host] : [host, authority]) {
    if (!names.isOurHost(name, port)) {
      throw new CatalogueError('forbidden_host', `${JSON.stringify(name)} isn't one of this server's names`);
    }
  }
  return host;
}

function checkOrigin(given: { origins: string[]; host: string; names: KnownNames }): void {
  const { origins, host, names } = given;
  const [origin] = origins;
  if (origin === undefined) return;
  if (origins.length > 1 || !names.isOurOrigin(origin, host)) {
    throw new CatalogueError('forbidden_origin', `${JSON.stringify(origin)} isn't an address of this server's page`);
  }
}

/** @throws CatalogueError forbidden_origin */
function checkOwnPage(request: IncomingMessage, origins: string[]): void {
  const reads = (request.method === 'GET' || request.method === 'HEAD') && !isUpgrade(request);
  if (!reads && origins.length === 0) {
    throw new CatalogueError('forbidden_origin', 'A request with a cookie needs an Origin header');
  }
  const site = headerValues(request, 'sec-fetch-site')[0];
  if (site !== undefined && !OWN_FETCH_SITES.has(site)) {
    throw new CatalogueError('forbidden_origin', 'The request comes from a page on another site');
  }
}

/**
 * Returns which kind of public resource a request asks for; null if the request needs a token or a sign-in. `page`
 * means that the request may come from a browser's address bar.
 */
function openness(
  request: IncomingMessage,
  target: string,
  isPageFile: (path: string) => boolean,
): 'page' | 'file' | 'sign-in' | 'trigger' | null {
  if (isUpgrade(request)) return null;
  const path = target.split('?', 1)[0] ?? '';
  if (request.method === 'POST') {
    if (TRIGGER_PATH.test(path)) return 'trigger';
    return SIGN_IN_PATHS.has(path) ? 'sign-in' : null;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  // Another program that used to listen on this port may have left a service worker in the browser. The browser gets
  // our script instead, whatever address the old script had.
  if (request.headers[WORKER_HEADER] === WORKER_SCRIPT) return 'file';
  if (path === '/') return request.headers.accept?.includes('text/html') === true ? 'page' : 'file';
  return OPEN_PATHS.has(path) || isPageFile(path) ? 'file' : null;
}

/**
 * `localhost` stands for two addresses, IPv4 and IPv6, and the server may listen on only one of them. A program that
 * listens on the other would receive the cookies and keys of pages under that name, so no page can sign in as
 * `localhost`.
 * @throws CatalogueError forbidden_origin
 */
function checkPlaceOfSignIn(given: { request: IncomingMessage; host: string; names: KnownNames }): void {
  const { request, host, names } = given;
  const address = names.ownAddress(host, portOf(request));
  if (address === null) return;
  throw new CatalogueError('forbidden_origin', `Browsers can sign in only at ${address}`, {
    hint: `Open ${address} in the browser`,
  });
}

function portOf(request: IncomingMessage): number {
  return request.socket.localPort ?? 0;
}

function isUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade !== undefined;
}

/**
 * Returns the token of a request: `Authorization: Bearer TOKEN`, or for WebSockets the subprotocol `bearer.TOKEN`.
 */
function tokenOf(request: IncomingMessage): string | null {
  const authorizations = headerValues(request, 'authorization');
  if (authorizations.length > 1) return null;
  const bearer = /^bearer +(\S+)$/i.exec(authorizations[0] ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  return authorizations.length > 0 ? null : subprotocolOf(request, TOKEN_SUBPROTOCOL_PREFIX);
}

/**
 * Returns the credentials that a page sent. Returns null if there are none, or if the request also contains a token,
 * because then only the token counts.
 */
function pageCredentials(request: IncomingMessage, cookieName: string): PageCredentials | null {
  if (headerValues(request, 'authorization').length > 0 || tokenOf(request) !== null) return null;
  const cookies = readCookies(headerValues(request, 'cookie'), cookieName);
  const pass = headerValues(request, PASS_HEADER)[0] ?? subprotocolOf(request, PASS_SUBPROTOCOL_PREFIX);
  return pass === null && cookies.length === 0 ? null : { pass, cookies };
}

/**
 * Returns what follows the prefix in a WebSocket's subprotocol. A page's script cannot set any other header of a
 * WebSocket.
 */
function subprotocolOf(request: IncomingMessage, prefix: string): string | null {
  if (!isUpgrade(request)) return null;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return protocols.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length) ?? null;
}

/**
 * Returns every value of a header as it was sent. For some headers, Node itself keeps only the first of several values.
 */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '');
  }
  return values;
}
