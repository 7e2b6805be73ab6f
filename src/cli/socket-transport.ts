import type { IncomingMessage } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { WebSocket } from 'ws';
import { errorFromResponse, type SocketListener, type Transport, type TransportSocket } from '../client/index.ts';
import {
  HOST,
  type LocalServer,
  type RequireNotStopped,
  socketRequests,
  toTransportError,
  watchForStop,
} from './socket-requests.ts';

/**
 * The maximum size of a frame. The largest frames are snapshots with a long scrollback. Anything larger does not come
 * from CBOS.
 */
const MAX_FRAME_BYTES = 256 * 1024 * 1024;

/** How long to wait for the server to confirm that a WebSocket is closed. */
const CLOSE_GRACE_MS = 500;

/**
 * Connects to the server through its local socket. The mode of the socket's file serves as authentication. @param
 * socketPath the socket's absolute path
 */
export function socketTransport(
  socketPath: string,
  requireNotStopped: RequireNotStopped = async () => undefined,
): Transport {
  return {
    ...socketRequests(socketPath, requireNotStopped),
    connect: (path, protocols, listener) =>
      connectOverSocket({ socketPath, requireNotStopped, path, protocols, listener }),
  };
}

interface SocketRequest extends LocalServer {
  path: string;
  protocols: readonly string[];
  listener: SocketListener;
}

function connectOverSocket({
  socketPath,
  requireNotStopped,
  path,
  protocols,
  listener,
}: SocketRequest): TransportSocket {
  // `ws+unix:PATH:/…` is not an option, because a path with a colon, space, or percent sign would be parsed
  // incorrectly.
  const socket = new WebSocket(`ws://${HOST}${path}`, [...protocols], {
    createConnection: () => connectSocket(socketPath),
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
  });
  let failure: Error | null = null;
  const stopWatching = watchForStop(requireNotStopped, (error) => {
    failure = error;
    socket.terminate();
  });
  socket.on('open', () => {
    stopWatching();
    listener.onOpen();
  });
  socket.on('message', (data, isBinary) => {
    if (!isBinary) listener.onMessage(String(data));
  });
  socket.on('unexpected-response', (_, response) => {
    void refusal(response).then((error) => {
      failure = error;
      socket.terminate();
    });
  });
  socket.on('error', (cause: NodeJS.ErrnoException) => {
    failure ??= toTransportError(cause);
  });
  socket.on('close', () => {
    stopWatching();
    listener.onClose(failure);
  });
  return {
    send: (text) => {
      // After the connection is lost and before the event reports the loss, sending would throw. The frame can be
      // dropped, because `onClose` reports the loss.
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close() {
      socket.close();
      // A server that hangs would never confirm the close, so the command could not exit.
      setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
    },
  };
}

/** Returns the REST error with which the server responded to the upgrade request. */
async function refusal(response: IncomingMessage): Promise<Error> {
  try {
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return errorFromResponse(response.statusCode ?? 0, Buffer.concat(parts).toString('utf8'));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
