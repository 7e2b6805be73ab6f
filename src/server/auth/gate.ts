/**
 * Who is let in.
 *
 * - by which name the server is called: `known-names.ts`; the token: `token.ts`; how many can be tried: `guesses.ts`
 * - browsers: `sign-ins.ts`; how a page and its server know each other: `passes.ts`
 * - what a process inside a session may do: `session-rights.ts`; who calls: `callers.ts`,
 *   `src/platform/process/peer.ts`
 * - how many connections there may be: `src/server/http/connection-bounds.ts`; who can reach the server:
 *   `src/server/http/reach.ts`
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
 * How a connection came: over TCP anybody on the machine (and any page in a browser) may knock, the local socket is
 * guarded by its mode.
 */
export type Transport = 'tcp' | 'unix';

/** The subprotocol of this server, and the prefix of the one that carries a token. */
export const SUBPROTOCOL = 'cbos';
const TOKEN_SUBPROTOCOL_PREFIX = 'bearer.';

/** Paths that may be read without a token, beside the page: whether the server runs. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/health']);

/** Where a page shows a link's code or the token, and where it and the server prove to each other who they are. */
const SIGN_IN_PATHS: ReadonlySet<string> = new Set(['/sign-in', '/sign-in/challenge', '/sign-in/pass']);

/** What a browser says of a request for the script of a service worker, and of no other. */
export const WORKER_HEADER = 'service-worker';
export const WORKER_SCRIPT = 'script';

/** What a browser says of a request that one of our own pages, or the person at the address bar, started. */
const OWN_FETCH_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** What a request may do. */
export interface Admission {
  /** the request's path and query, whatever form the request target had */
  target: string;
  /**
   * the same page at the one address of this machine that browsers sign in at; null: this is it, or no page was asked
   * for
   */
  moved: string | null;
  /** it showed a token or a sign-in, and both were right */
  isProven: boolean;
  /** false once the token or the sign-in that opened the connection holds no more; for connections that outlive it */
  isStillValid(): boolean;
}

export interface Gate {
  /**
   * Lets a request or an upgrade in, before anything else looks at it.
   * @throws CatalogueError forbidden_host, forbidden_origin, unauthorized, too_many_attempts
   */
  admit(request: IncomingMessage, transport: Transport): Admission;
}

/**
 * The door of the server. `Host` is compared with a fixed list first: once a foreign name is rebound to this machine, a
 * page's `Origin` equals its `Host`, and only the list tells. No answer ever carries a CORS header, so no foreign page
 * reads one. A browser adds the page's cookie to whatever any page on this machine asks, and shows it to every port
 * (cookies know none), so it counts only beside a pass, which only a page of our own origin gets, and where something
 * can happen, beside an `Origin` of ours.
 * @param options.isPageFile whether a path is a file of the web page: those are in every copy of CBOS and no secret
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
        // No browser reaches this socket; something that forwards a browser's requests to it would open it to every
        // page.
        if (origins.length > 0) throw new CatalogueError('forbidden_origin', 'The local socket serves no web pages');
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
 * Splits the absolute form (`GET http://name/path`), which every server must take, into its parts; a plain path has no
 * authority.
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
      throw new CatalogueError('forbidden_host', `${JSON.stringify(name)} isn't a name of this server`);
    }
  }
  return host;
}

function checkOrigin(given: { origins: string[]; host: string; names: KnownNames }): void {
  const { origins, host, names } = given;
  const [origin] = origins;
  if (origin === undefined) return;
  if (origins.length > 1 || !names.isOurOrigin(origin, host)) {
    throw new CatalogueError('forbidden_origin', `${JSON.stringify(origin)} is no page of this server`);
  }
}

/** @throws CatalogueError forbidden_origin */
function checkOwnPage(request: IncomingMessage, origins: string[]): void {
  const reads = (request.method === 'GET' || request.method === 'HEAD') && !isUpgrade(request);
  if (!reads && origins.length === 0) {
    throw new CatalogueError('forbidden_origin', 'A request with a cookie needs the Origin of its page');
  }
  const site = headerValues(request, 'sec-fetch-site')[0];
  if (site !== undefined && !OWN_FETCH_SITES.has(site)) {
    throw new CatalogueError('forbidden_origin', 'The request was started by a page of another site');
  }
}

/**
 * What of the server everybody may have, null for all the rest. `page`: a person at a browser's address bar may be the
 * one who asks.
 */
function openness(
  request: IncomingMessage,
  target: string,
  isPageFile: (path: string) => boolean,
): 'page' | 'file' | 'sign-in' | null {
  if (isUpgrade(request)) return null;
  const path = target.split('?', 1)[0] ?? '';
  if (request.method === 'POST') return SIGN_IN_PATHS.has(path) ? 'sign-in' : null;
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  // A program that had the port may have left a service worker in browsers: whatever its address is, they get ours in
  // place of it.
  if (request.headers[WORKER_HEADER] === WORKER_SCRIPT) return 'file';
  if (path === '/') return request.headers.accept?.includes('text/html') === true ? 'page' : 'file';
  return OPEN_PATHS.has(path) || isPageFile(path) ? 'file' : null;
}

/**
 * `localhost` is two addresses, and a program on the one that the server does not hold would get what a page of that
 * name has. So no page has anything under it.
 * @throws CatalogueError forbidden_origin
 */
function checkPlaceOfSignIn(given: { request: IncomingMessage; host: string; names: KnownNames }): void {
  const { request, host, names } = given;
  const address = names.ownAddress(host, portOf(request));
  if (address === null) return;
  throw new CatalogueError('forbidden_origin', `Browsers sign in at ${address} only`, { hint: `Open ${address}` });
}

function portOf(request: IncomingMessage): number {
  return request.socket.localPort ?? 0;
}

function isUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade !== undefined;
}

/**
 * The token that a request carries: `Authorization: Bearer TOKEN`, or for WebSockets the subprotocol `bearer.TOKEN`.
 */
function tokenOf(request: IncomingMessage): string | null {
  const authorizations = headerValues(request, 'authorization');
  if (authorizations.length > 1) return null;
  const bearer = /^bearer +(\S+)$/i.exec(authorizations[0] ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  return authorizations.length > 0 ? null : subprotocolOf(request, TOKEN_SUBPROTOCOL_PREFIX);
}

/** What a page shows, null where a token came (whoever shows one is judged by it) or nothing of a page's did. */
function pageCredentials(request: IncomingMessage, cookieName: string): PageCredentials | null {
  if (headerValues(request, 'authorization').length > 0 || tokenOf(request) !== null) return null;
  const cookies = readCookies(headerValues(request, 'cookie'), cookieName);
  const pass = headerValues(request, PASS_HEADER)[0] ?? subprotocolOf(request, PASS_SUBPROTOCOL_PREFIX);
  return pass === null && cookies.length === 0 ? null : { pass, cookies };
}

/** What a WebSocket's subprotocol of this prefix carries: the only header that a page's script can set for one. */
function subprotocolOf(request: IncomingMessage, prefix: string): string | null {
  if (!isUpgrade(request)) return null;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return protocols.find((protocol) => protocol.startsWith(prefix))?.slice(prefix.length) ?? null;
}

/** Every value of a header, as sent: Node itself keeps only the first of several. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '');
  }
  return values;
}
