import { type Client, createClient } from '../client/index.ts';
import type { RequireNotStopped } from './socket-requests.ts';
import { socketTransport } from './socket-transport.ts';

/**
 * Creates a client over the local socket that can also listen. It is loaded only by commands that listen. @param
 * socket absolute
 */
export function connectLocally(socket: string, requireNotStopped: RequireNotStopped): Client {
  return createClient({ transport: socketTransport(socket, requireNotStopped) });
}
