import { connect, createServer, type Server, type Socket } from 'node:net';

/** A connection to the stand-in that can be cut, so that the network is lost in the middle of a turn. */
export interface NetworkGate {
  port: number;
  /** resets connections at once, including open ones */
  reset(): void;
  /** stops listening, so that connections are refused */
  refuse(): Promise<void>;
  /** lets everything through again */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a gate on loopback.
 * @param onAttempt called for each connection that was cut off at its start
 */
export async function openNetworkGate(targetPort: number, onAttempt: () => void): Promise<NetworkGate> {
  let isCut = false;
  const sockets = new Set<Socket>();
  let server: Server | null = null;
  const handle = (socket: Socket): void => {
    if (isCut) {
      onAttempt();
      socket.on('error', () => socket.destroy());
      socket.resetAndDestroy();
      return;
    }
    const onward = connect(targetPort, '127.0.0.1');
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  };
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const opened = createServer(handle);
      opened.once('error', reject);
      opened.listen(port, '127.0.0.1', () => {
        server = opened;
        const address = opened.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      const opened = server;
      server = null;
      if (opened === null) resolve();
      else opened.close(() => resolve());
      cut();
    });
  const port = await listen(0);
  return {
    port,
    reset: () => {
      isCut = true;
      cut();
    },
    refuse: stop,
    restore: async () => {
      isCut = false;
      if (server === null) await listen(port);
    },
    close: stop,
  };
}
