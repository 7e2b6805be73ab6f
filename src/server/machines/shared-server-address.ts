import { readAuthority } from '../../platform/nats/index.ts';
import { CatalogueError, type SharedServer } from '../../protocol/index.ts';

/** The default port of NATS. */
export const NATS_PORT = 4222;
/** How many addresses of one cluster a user may give. */
const MOST_SERVERS = 16;

/**
 * Parses `nats://HOST:PORT`, or several such addresses separated by commas.
 * @throws CatalogueError invalid_setting
 */
export function readSharedServer(
  text: string,
  { credentials, authority }: { credentials: string | null; authority: string | null },
): SharedServer {
  const addresses = text.split(',').map((one) => readOne(one.trim()));
  const isTls = addresses.some(({ protocol }) => protocol === 'tls:');
  if (addresses.length > MOST_SERVERS || addresses.some(({ protocol }) => (protocol === 'tls:') !== isTls)) {
    throw invalid(text);
  }
  if (authority !== null && !isTls) {
    throw new CatalogueError('invalid_setting', 'A certificate authority is of no use without TLS', {
      hint: 'Use `--nats tls://HOST:PORT`, or omit --ca',
    });
  }
  return {
    ...{ servers: addresses.map(({ host, port }) => `${host}:${port}`), isTls, credentials },
    authority: authority === null ? null : readAuthority(authority),
  };
}

function readOne(text: string): { protocol: string; host: string; port: string } {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isGood =
    url !== null &&
    ['nats:', 'tls:'].includes(url.protocol) &&
    url.hostname !== '' &&
    ['', '/'].includes(url.pathname) &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isGood) throw invalid(text);
  return { protocol: url.protocol, host: url.hostname, port: url.port || String(NATS_PORT) };
}

const invalid = (text: string): CatalogueError =>
  new CatalogueError('invalid_setting', `${JSON.stringify(text)} isn't the address of a NATS server`, {
    hint: 'Give addresses as in `--nats nats://10.0.0.5:4222` or `--nats tls://a:4222,tls://b:4222`; credentials go into a file: --credentials FILE',
  });
