import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/**
 * How a request fails: it is lost before it is carried out (`before`), its response is lost afterwards (`after`), the
 * server is too busy, or the server fails without doing anything.
 */
export type SinkFault = 'before' | 'after' | 'busy' | 'broken';

export interface SinkRequest {
  method: string;
  /** path and query */
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface SinkAnswer {
  status: number;
  body: unknown;
}

/** A server for some protocol on loopback, whose requests fail as the test requests. */
export interface SinkServer extends AsyncDisposable {
  url: string;
  requests: SinkRequest[];
  /** called for each request that may fail */
  faultOf: () => SinkFault | null;
  /**
   * called for each request; the request is carried out when the promise is fulfilled, and immediately if there is none
   */
  arrivalOf: (request: SinkRequest) => Promise<void> | null;
}

/**
 * @param answer carries out a request; returns null if it sends the response itself, on a stream that stays open
 * @param busy the protocol's response to too many requests
 */
export async function startSinkServer(options: {
  answer(request: SinkRequest, response: ServerResponse): SinkAnswer | null | Promise<SinkAnswer | null>;
  busy: SinkAnswer;
}): Promise<SinkServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', async () => {
      const url = new URL(incoming.url ?? '/', 'http://sink');
      const body = Buffer.concat(parts).toString();
      const request = { method: incoming.method ?? '', url, headers: incoming.headers, body };
      started.requests.push(request);
      await started.arrivalOf(request);
      const fault = started.faultOf();
      if (fault === 'before') return void incoming.socket.destroy();
      if (fault === 'busy') return write(response, options.busy);
      if (fault === 'broken') return write(response, { status: 502, body: 'Bad Gateway' });
      const answer = await options.answer(request, response);
      if (fault === 'after') return void incoming.socket.destroy();
      if (answer !== null) write(response, answer);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const started: SinkServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    faultOf: () => null,
    arrivalOf: () => null,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

function write(response: ServerResponse, { status, body }: SinkAnswer): void {
  if (response.destroyed) return;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' });
  response.end(text);
}
