import { type Client, createClient } from '../client/index.ts';
import type { RequireNotStopped } from './socket-requests.ts';
import { socketTransport } from './socket-transport.ts';

/**
 * Creates a client that uses the local socket and can also listen to the server's stream. Only commands that listen
 * load this module.
 * @param socket the absolute path of the socket
 */
export function connectLocally(socket: string, requireNotStopped: RequireNotStopped): Client {
  return createClient({ transport: socketTransport(socket, requireNotStopped) });
}
