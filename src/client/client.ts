import { type Caller, type CallerOptions, createCaller } from './caller.ts';
import { connectStream, type StreamConnection, type StreamOptions } from './stream-connection.ts';
import type { Transport } from './transport.ts';

export interface ClientOptions extends CallerOptions {
  transport: Transport;
}

export interface Client extends Caller {
  /** Listens to everything that happens, and reconnects automatically if the connection is lost. */
  subscribe(options: StreamOptions): StreamConnection;
}

/**
 * Creates a typed client for the REST interface and `/ws/stream`. It does not open a connection before the first call.
 */
export function createClient(options: ClientOptions): Client {
  const { transport, token } = options;
  return {
    ...createCaller(options),
    subscribe: (streamOptions) =>
      connectStream(transport, token === undefined ? [] : ['cbos', `bearer.${token}`], streamOptions),
  };
}
