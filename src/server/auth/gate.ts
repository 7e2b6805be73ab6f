import type { IncomingMessage } from 'node:http';
import { CatalogueError } from '../../protocol/index.ts';
import { readCookie } from './cookie.ts';
import type { KnownNames } from './known-names.ts';
import type { SignIns } from './sign-ins.ts';
import type { TokenSource } from './token.ts';

/** How a connection came: over TCP anybody on the machine (and any page in a browser) may knock, the local socket is guarded by its mode. */
export type Transport = 'tcp' | 'unix';

/** The subprotocol of this server, and the prefix of the one that carries a token: the only header that a page's script can set. */
export const SUBPROTOCOL = 'cbos';
const TOKEN_SUBPROTOCOL_PREFIX = 'bearer.';

/** Paths that may be read without a token: whether the server runs, and how to sign in. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/', '/health']);

/** Where a page shows a link's code or the token. */
const SIGN_IN_PATH = '/sign-in';

/** What a browser says of a request that one of our own pages, or the person at the address bar, started. */
const OWN_FETCH_SITES: ReadonlySet<string> = new Set(['same-origin', 'none']);

/** What a request may do. */
export interface Admission {
  /** the request's path and query, whatever form the request target had */
  target: string;
  /** false once the token that opened the connection holds no more; for connections that outlive a rotation */
  isStillValid(): boolean;
}

export interface Gate {
  /**
   * Lets a request or an upgrade in, before anything else looks at it.
   * @throws CatalogueError forbidden_host, forbidden_origin, unauthorized
   */
  admit(request: IncomingMessage, transport: Transport): Admission;
}

/**
 * The door of the server. `Host` is compared with a fixed list first: once a foreign name is rebound to this machine, a page's
 * `Origin` equals its `Host`, and only the list tells. No answer ever carries a CORS header, so no foreign page reads one.
 * A browser adds the page's cookie to whatever any page on this machine asks (cookies know no ports), so where something can
 * happen by it, it counts only beside an `Origin` of ours.
 * @param options.isPageFile whether a path is a file of the web page: those are in every copy of CBOS and no secret
 */
export function createGate(options: {
  names: KnownNames;
  token: TokenSource;
  signIns: SignIns;
  isPageFile(path: string): boolean;
}): Gate {
  const { names, token, signIns } = options;
  return {
    admit: (request, transport) => {
      const { authority, target } = splitTarget(request.url ?? '/');
      const origins = headerValues(request, 'origin');
      if (transport === 'unix') {
        // No browser reaches this socket; something that forwards a browser's requests to it would open it to every page.
        if (origins.length > 0) throw new CatalogueError('forbidden_origin', 'The local socket serves no web pages');
        return { target, isStillValid: () => true };
      }
      const host = checkHost({ request, authority, names });
      checkOrigin({ origins, host, names });
      if (isOpen(request, target, options.isPageFile)) return { target, isStillValid: () => true };
      const cookie = cookieOf(request, signIns.cookieName);
      if (cookie !== null) {
        checkOwnPage(request, origins);
        const isValid = (): boolean => signIns.validUntil(cookie) !== null;
        if (!isValid())
          throw new CatalogueError('unauthorized', 'The sign-in is over', { hint: 'Sign in again: `cbos open`' });
        return { target, isStillValid: isValid };
      }
      const given = tokenOf(request);
      if (given === null) throw new CatalogueError('unauthorized');
      if (!token.accepts(given)) throw new CatalogueError('unauthorized', 'The token is not valid');
      return { target, isStillValid: () => token.accepts(given) };
    },
  };
}

/** Splits the absolute form (`GET http://name/path`), which every server must take, into its parts; a plain path has no authority. */
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
  const port = request.socket.localPort ?? 0;
  for (const name of authority === null ? [host] : [host, authority]) {
    if (!names.isOurHost(name, port)) {
      throw new CatalogueError('forbidden_host', `${JSON.stringify(name)} is no name of this server`);
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

function isOpen(request: IncomingMessage, target: string, isPageFile: (path: string) => boolean): boolean {
  if (isUpgrade(request)) return false;
  const path = target.split('?', 1)[0] ?? '';
  if (request.method === 'POST') return path === SIGN_IN_PATH;
  return (request.method === 'GET' || request.method === 'HEAD') && (OPEN_PATHS.has(path) || isPageFile(path));
}

function isUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade !== undefined;
}

/** The token that a request carries: `Authorization: Bearer TOKEN`, or for WebSockets the subprotocol `bearer.TOKEN`. */
function tokenOf(request: IncomingMessage): string | null {
  const authorizations = headerValues(request, 'authorization');
  if (authorizations.length > 1) return null;
  const bearer = /^bearer +(\S+)$/i.exec(authorizations[0] ?? '')?.[1];
  if (bearer !== undefined) return bearer;
  if (authorizations.length > 0 || !isUpgrade(request)) return null;
  const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  const carrier = protocols.find((protocol) => protocol.startsWith(TOKEN_SUBPROTOCOL_PREFIX));
  return carrier?.slice(TOKEN_SUBPROTOCOL_PREFIX.length) ?? null;
}

/** The page's cookie, where no token came: whoever shows a token is judged by it. */
function cookieOf(request: IncomingMessage, name: string): string | null {
  if (headerValues(request, 'authorization').length > 0 || tokenOf(request) !== null) return null;
  return readCookie(headerValues(request, 'cookie'), name);
}

/** Every value of a header, as sent: Node itself keeps only the first of several. */
function headerValues(request: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    if (request.rawHeaders[index]?.toLowerCase() === name) values.push(request.rawHeaders[index + 1] ?? '');
  }
  return values;
}
