import { connect, createServer, type Socket } from 'node:net';

/** A link on loopback that a test can cut or delay. */
export interface CuttingProxy extends AsyncDisposable {
  port: number;
  /** Ends all connections at once, without any message in the protocol that they carry. */
  cut(): void;
  /** Delays everything in both directions for a while. Nothing is lost. */
  hold(ms: number): void;
  /** what has passed in both directions so far */
  passed(): { messages: number; bytes: number };
}

export async function startCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let heldUntil = 0;
  const passed = { messages: 0, bytes: 0 };
  const pass = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      passed.messages += 1;
      passed.bytes += bytes.length;
      const waitMs = Math.max(0, heldUntil - performance.now());
      from.pause();
      setTimeout(() => {
        to.write(bytes);
        from.resume();
      }, waitMs);
    });
    from.on('close', () => to.destroy());
    from.on('error', () => to.destroy());
  };
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pass(near, far);
    pass(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: address.port,
    cut,
    passed: () => ({ ...passed }),
    hold: (ms) => {
      heldUntil = Math.max(heldUntil, performance.now() + ms);
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
