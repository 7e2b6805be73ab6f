import { type Client, createClient } from '../client/index.ts';
import type { RequireNotStopped } from './socket-requests.ts';
import { socketTransport } from './socket-transport.ts';

/**
 * Creates a client over the local socket that can also listen. Only commands that listen load this module.
 * @param socket absolute
 */
export function connectLocally(socket: string, requireNotStopped: RequireNotStopped): Client {
  return createClient({ transport: socketTransport(socket, requireNotStopped) });
}
