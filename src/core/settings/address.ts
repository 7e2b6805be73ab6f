/**
 * Where a client on this machine finds a server that listens on a host: by an address that the server holds, never by a
 * name.
 */
export function addressToCall(host: string, port: number): string {
  const isThisMachine = host === '0.0.0.0' || host === '::' || host === 'localhost';
  const name = isThisMachine ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
