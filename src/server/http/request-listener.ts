import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { CatalogueError, VERSION_HEADER } from '../../protocol/index.ts';
import type { Gate, Transport } from '../auth/gate.ts';
import type { Logger } from '../logger.ts';
import { type Failure, toFailure } from './error-response.ts';

/**
 * Headers that are sent with every response. They forbid a response to load or embed anything, to be framed, and to be
 * cached. The web page itself is sent with a less strict policy.
 */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

export interface RequestListenerOptions {
  app: Pick<OpenAPIHono, 'fetch'>;
  gate: Gate;
  logger: Logger;
  version: string;
  /** called with each connection on which a request with a valid token or sign-in has arrived */
  onProven(socket: Duplex): void;
}

/** Handles every HTTP request: the gate checks the request first, and then the application answers it. */
export function createRequestListener(options: RequestListenerOptions): (transport: Transport) => RequestListener {
  const { app, gate, logger, version, onProven } = options;
  const serve = getRequestListener(app.fetch, {
    errorHandler: (error) => {
      const failure = toFailure(
        error instanceof RequestError ? new CatalogueError('invalid_request', 'the URL cannot be parsed') : error,
        (unexpected) => logger.error({ err: unexpected }, 'a request failed'),
      );
      return Response.json({ error: failure.error }, { status: failure.status });
    },
  });
  return (transport) => (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (transport === 'unix') response.setHeader(VERSION_HEADER, version);
    try {
      const { target, moved, isProven } = gate.admit(request, transport);
      if (isProven) onProven(request.socket);
      if (moved !== null) {
        // The part after `#`, which may be the code from a link, is not lost: the browser keeps it and adds it to the
        // new URL.
        response.writeHead(307, { Location: `${moved}${target}` }).end();
        return;
      }
      if (!target.startsWith('/')) throw new CatalogueError('no_such_route', `The server has no path ${target}`);
      request.url = target;
      // The gate has already checked Host. The adaptor only uses Host to build a URL that nothing reads, and would fail
      // on unusual names.
      request.headers.host = 'localhost';
    } catch (error) {
      refuse(request, response, refusal(error, { request, logger }));
      return;
    }
    void serve(request, response);
  };
}

/**
 * Returns the response to a request that the gate has rejected. The rejection is also logged, because it may be part of
 * an attack.
 */
export function refusal(error: unknown, from: { request: IncomingMessage; logger: Logger }): Failure {
  const { request, logger } = from;
  const failure = toFailure(error, (unexpected) => logger.error({ err: unexpected }, 'a request failed'));
  logger.debug({ code: failure.error.code, method: request.method }, 'a request was refused');
  return failure;
}

function refuse(request: IncomingMessage, response: ServerResponse, failure: Failure): void {
  for (const [name, value] of Object.entries(refusalHeaders(failure))) response.setHeader(name, value);
  response.writeHead(failure.status);
  response.end(request.method === 'HEAD' ? undefined : JSON.stringify({ error: failure.error }));
}

/** Rejects an upgrade with a plain HTTP response, and closes the connection. */
export function refuseUpgrade(socket: Duplex, failure: Failure): void {
  const body = JSON.stringify({ error: failure.error });
  const headers = {
    ...SECURITY_HEADERS,
    ...refusalHeaders(failure),
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Without this listener, an error on the socket, for example because the client is already gone, would end the
  // process.
  socket.on('error', () => socket.destroy());
  // HTTP allows the reason phrase to be empty, but requires the space before it.
  socket.end([`HTTP/1.1 ${failure.status} `, ...lines, '', body].join('\r\n'));
}

function refusalHeaders(failure: Failure): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    // The body of the rejected request is not read, so the connection cannot be reused.
    Connection: 'close',
    ...(failure.error.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer realm="cbos"' } : {}),
  };
}
