import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { World } from '../harness/world.ts';

/** A local socket in front of the server's. It counts the WebSockets that are opened, and notes the requests. */
export interface CountingProxy {
  socket: string;
  opened(): number;
  /** the method and the path of each request, in order */
  asked(): string[];
}

export async function startCountingProxy(world: World, target: string): Promise<CountingProxy> {
  let opened = 0;
  const asked: string[] = [];
  const socket = join(world.dir, 'proxy.sock');
  const server = createServer((inward) => {
    const outward = connect(target);
    outward.once('data', (bytes) => {
      if (bytes.toString('latin1').startsWith('HTTP/1.1 101')) opened++;
    });
    inward.once('data', (bytes) => asked.push(bytes.toString('latin1').split(' ', 2).join(' ')));
    inward.pipe(outward).pipe(inward);
    const end = (): void => {
      inward.destroy();
      outward.destroy();
    };
    for (const side of [inward, outward]) side.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  world.onDispose(() => void server.close());
  return { socket, opened: () => opened, asked: () => asked };
}
