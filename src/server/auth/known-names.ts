import { CatalogueError, type Settings } from '../../protocol/index.ts';

/** Names that always mean this machine. An exact list: a prefix such as `127.` would let `127.evil.com` in. */
const LITERALS = ['127.0.0.1', '[::1]'] as const;
const LOOPBACK_NAMES: readonly string[] = [...LITERALS, 'localhost'];

/** Addresses to listen on that are no names to be called by. */
const WILDCARDS = new Set(['0.0.0.0', '[::]']);

/**
 * A name, perhaps with a port. No userinfo, no path, no trailing dot: a browser sends none of these for a name on the
 * list.
 */
const AUTHORITY = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::([0-9]{1,5}))?$/;

/** What a client leaves away: the ports of http and, as a proxy may hide which scheme it was, of https. */
const DEFAULT_PORTS: readonly number[] = [80, 443];

export type NameSettings = Pick<Settings, 'host' | 'public_url' | 'allowed_hosts'>;

/**
 * The names by which this server may be called. What a web page can forge after DNS rebinding is everything but these.
 */
export interface KnownNames {
  /**
   * @param host the Host header as it came
   * @param localPort the port that the connection came in on
   */
  isOurHost(host: string, localPort: number): boolean;
  /** Whether a page of this origin is ours. @param host the Host header of the same request, found to be ours before */
  isOurOrigin(origin: string, host: string): boolean;
  /**
   * Where to find the page that was asked for under another name of this machine (`localhost`): at the address that the
   * server holds.
   * @returns `http://127.0.0.1:PORT`, null where the name is none of those, or was configured
   */
  ownAddress(host: string, localPort: number): string | null;
}

interface AllowedName {
  name: string;
  /** the port it must come with; any: a name says enough, the proxy's port is its own matter */
  port: number | 'own' | 'any';
}

/** @throws CatalogueError invalid_setting when a configured name is none */
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
  // Proxies pass on the name with the port, without it, or with ours.
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
      // Whoever sits in the network can show a page over plain HTTP under the name that people know with HTTPS.
      if (page?.protocol === 'https:' && parseAuthority(host)?.name === page.hostname) return false;
      // Same name *and* port as the request: another program's page on this machine is a stranger.
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
  if (name === null) throw new CatalogueError('invalid_setting', `${host} is no address to listen on`);
  return WILDCARDS.has(name) ? [] : [{ name, port: 'own' }];
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function configuredName(entry: string): AllowedName {
  const parsed = parseAuthority(entry);
  // A name in another alphabet arrives as the browser encodes it.
  const name = canonicalName(parsed?.name ?? entry);
  if (name === null) {
    throw new CatalogueError('invalid_setting', `allowed_hosts: "${entry}" is no name`, {
      hint: 'Write a name as it stands in the browser, such as box.example.com or box.example.com:8443',
    });
  }
  return { name, port: parsed?.port ?? 'any' };
}

/** A name as browsers write it in Host: lower case, punycode, IPv6 in its short form and in brackets. */
function canonicalName(name: string): string | null {
  if (/[/\\?#@\s]/.test(name) || !URL.canParse(`http://${name}`)) return null;
  const url = new URL(`http://${name}`);
  return url.port === '' ? url.hostname : null;
}
