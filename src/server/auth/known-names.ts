import { CatalogueError, type Settings } from '../../protocol/index.ts';

/**
 * Names that always mean this machine. Names are compared as a whole, because a prefix such as `127.` would also accept
 * `127.evil.com`.
 */
const LITERALS = ['127.0.0.1', '[::1]'] as const;
const LOOPBACK_NAMES: readonly string[] = [...LITERALS, 'localhost'];

/** Listening addresses that stand for all interfaces and therefore do not name the server. */
const WILDCARDS = new Set(['0.0.0.0', '[::]']);

/**
 * A name with an optional port. Userinfo, a path, or a trailing dot is not accepted, because no browser sends any of
 * these with a known name.
 */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([0-9]{1,5}))?$/;

/**
 * The default ports of http and https, which clients may omit. Both are listed, because a proxy may hide which scheme
 * was used.
 */
const DEFAULT_PORTS: readonly number[] = [80, 443];

export type NameSettings = Pick<Settings, 'host' | 'public_url' | 'allowed_hosts'>;

/**
 * The names under which this server can be reached. After DNS rebinding, they are the only thing that a web page cannot
 * forge.
 */
export interface KnownNames {
  /**
   * @param host the Host header of the request, as received
   * @param localPort the server's port that the client connected to
   */
  isOurHost(host: string, localPort: number): boolean;
  /**
   * Reports whether a page with this origin is ours.
   * @param host the Host header of the same request, which has already been found to be ours
   */
  isOurOrigin(origin: string, host: string): boolean;
  /**
   * Returns the server's own address for a page that was requested under another name of this machine (`localhost`).
   * @returns `http://127.0.0.1:PORT`; null if the host is no such name, or if it is a configured name
   */
  ownAddress(host: string, localPort: number): string | null;
}

interface AllowedName {
  name: string;
  /** the port that must accompany the name; `any` accepts every port, because a proxy chooses it */
  port: number | 'own' | 'any';
}

/** @throws CatalogueError invalid_setting when a configured name is invalid */
export function knownNames(settings: NameSettings): KnownNames {
  const allowed: AllowedName[] = [
    ...LOOPBACK_NAMES.map((name) => ({ name, port: 'own' as const })),
    ...listenName(settings.host),
    ...settings.allowed_hosts.map(configuredName),
  ];
  const configured = settings.allowed_hosts.map((entry) => configuredName(entry).name);
  const page = settings.public_url === null ? null : new URL(settings.public_url);
  if (page !== null) configured.push(page.hostname);
  const held = LITERALS.find((name) => name === bracketed(settings.host)) ?? LITERALS[0];
  // A proxy may forward the name with its own port, with ours, or without a port.
  if (page !== null) allowed.push({ name: page.hostname, port: 'any' });
  return {
    isOurHost: (host, localPort) => {
      const called = parseAuthority(host);
      if (called === null) return false;
      return allowed.some(({ name, port }) => {
        if (name !== called.name) return false;
        if (port === 'any') return true;
        const wanted = port === 'own' ? localPort : port;
        return called.port === null ? DEFAULT_PORTS.includes(wanted) : called.port === wanted;
      });
    },
    isOurOrigin: (origin, host) => {
      if (page !== null && origin === page.origin) return true;
      // Pages must use HTTPS here, because an attacker in the network can serve a page over plain HTTP under the same
      // name.
      if (page?.protocol === 'https:' && parseAuthority(host)?.name === page.hostname) return false;
      // Both the name *and* the port must match the request's, because a page served by another program on this machine
      // is not ours.
      const scheme = /^https?:\/\//.exec(origin)?.[0];
      return scheme !== undefined && origin.slice(scheme.length) === host.toLowerCase();
    },
    ownAddress: (host, localPort) => {
      const name = parseAuthority(host)?.name ?? '';
      if (name === held || !LOOPBACK_NAMES.includes(name) || configured.includes(name)) return null;
      return `http://${held}${localPort === 80 ? '' : `:${localPort}`}`;
    },
  };
}

function parseAuthority(text: string): { name: string; port: number | null } | null {
  const match = AUTHORITY.exec(text.toLowerCase());
  if (match?.[1] === undefined) return null;
  return { name: match[1], port: match[2] === undefined ? null : Number(match[2]) };
}

function listenName(host: string): AllowedName[] {
  const name = canonicalName(bracketed(host));
  if (name === null) throw new CatalogueError('invalid_setting', `${host} isn't an address to listen on`);
  return WILDCARDS.has(name) ? [] : [{ name, port: 'own' }];
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function configuredName(entry: string): AllowedName {
  const parsed = parseAuthority(entry);
  // Browsers send a name in another alphabet as punycode.
  const name = canonicalName(parsed?.name ?? entry);
  if (name === null) {
    throw new CatalogueError('invalid_setting', `allowed_hosts: "${entry}" isn't a name`, {
      hint: 'Write a name as the browser shows it, such as box.example.com or box.example.com:8443',
    });
  }
  return { name, port: parsed?.port ?? 'any' };
}

/**
 * Returns a name as browsers write it in the Host header: in lower case and punycode, with an IPv6 address in its short
 * form and in brackets.
 */
function canonicalName(name: string): string | null {
  if (/[/\\?#@\s]/.test(name) || !URL.canParse(`http://${name}`)) return null;
  const url = new URL(`http://${name}`);
  return url.port === '' ? url.hostname : null;
}
