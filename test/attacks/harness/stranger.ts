import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import type { World } from '../../harness/world.ts';

/** A request that a stranger received. */
export interface Overheard {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface StrangerAnswer {
  status?: number;
  type?: string;
  headers?: Record<string, string | string[]>;
  body: string;
}

/** Another program of this machine that serves pages. It answers whatever it likes, and keeps what it receives. */
export interface Stranger {
  port: number;
  url: string;
  overheard: Overheard[];
  stop(): Promise<void>;
}

export interface StrangerOptions {
  host?: string;
  /** any free port if 0 or omitted */
  port?: number;
  answer(request: Overheard): StrangerAnswer | Promise<StrangerAnswer>;
}

/** Starts a stranger. It accepts WebSockets too, and keeps their messages. */
export async function startStranger(world: Pick<World, 'onDispose'>, options: StrangerOptions): Promise<Stranger> {
  const { host = '127.0.0.1', port = 0, answer } = options;
  const overheard: Overheard[] = [];
  const hear = (request: IncomingMessage, body: string): Overheard => {
    const heard = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    overheard.push(heard);
    return heard;
  };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', async () => {
      const answered = await answer(hear(request, body));
      const { status = 200, type = 'text/html; charset=utf-8', headers = {}, body: text } = answered;
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(text);
    });
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const heard = hear(request, '');
    sockets.handleUpgrade(request, socket, head, (ws) => {
      ws.on('message', (data) => {
        heard.body += data.toString();
      });
    });
  });
  server.listen({ host, port });
  await once(server, 'listening');
  const bound = server.address();
  const at = bound !== null && typeof bound === 'object' ? bound.port : port;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    for (const ws of sockets.clients) ws.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  world.onDispose(stop);
  return { port: at, url: `http://${host.includes(':') ? `[${host}]` : host}:${at}`, overheard, stop };
}
