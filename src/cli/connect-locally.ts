import { type Client, createClient } from '../client/index.ts';
import type { RequireNotStopped } from './socket-requests.ts';
import { socketTransport } from './socket-transport.ts';

/** A client over the local socket that can also listen; loaded by commands that do. @param socket absolute */
export function connectLocally(socket: string, requireNotStopped: RequireNotStopped): Client {
  return createClient({ transport: socketTransport(socket, requireNotStopped) });
}
