import { BlockList, isIP } from 'node:net';
import { CatalogueError, settingVariable } from '../../protocol/index.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Describes for a person from where a listening address can be reached; null if only from this machine. A host name may
 * resolve to any address, so every name except `localhost` counts as reachable from elsewhere.
 */
export function reachOf(host: string): string | null {
  if (host === 'localhost') return null;
  const kind = isIP(host);
  if (kind !== 0 && LOOPBACK.check(host, kind === 4 ? 'ipv4' : 'ipv6')) return null;
  return host === '0.0.0.0' || host === '::' ? 'every network of this machine' : `every client that reaches ${host}`;
}

/**
 * Returns the error for a listening address that other machines can reach. Everybody whom the server admits can type
 * into terminals, and over plain HTTP the token can be intercepted. Therefore a typo must never be enough to open the
 * server to other machines.
 */
export function remoteNotAllowed(host: string): CatalogueError {
  return new CatalogueError('invalid_setting', `host ${host} opens the server to ${reachOf(host)}`, {
    hint: `Keep 127.0.0.1 and put an HTTPS proxy in front (${settingVariable('public_url')}); to open it anyway, use --allow-remote or ${settingVariable('allow_remote')}=true`,
  });
}
