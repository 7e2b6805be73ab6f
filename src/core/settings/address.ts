/**
 * Returns the URL at which a client on this machine can reach a server that listens on `host`. A wildcard host and
 * `localhost` become 127.0.0.1, so that the URL contains an address that the server itself listens on, rather than a
 * name.
 */
export function addressToCall(host: string, port: number): string {
  const isThisMachine = host === '0.0.0.0' || host === '::' || host === 'localhost';
  const name = isThisMachine ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
