import { expect, test } from 'vitest';
import { socketTransport } from '../../src/cli/socket-transport.ts';
import { createClient, type Transport, type TransportSocket } from '../../src/client/index.ts';
import { startFaces } from '../harness/faces.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Returns numbers from 0 to 1, without 1. A failure reports the seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test.each([1, 2, 3])(
  'a client that loses its connection again and again gets every character once (seed %i)',
  async (seed) => {
    await using server = await startFaces();
    const recording = server.sessions.add('AUTH');
    const random = randomNumbers(seed);
    const sockets: TransportSocket[] = [];
    const real = socketTransport(`${server.world.cbosHome}/cbos.sock`);
    const transport: Transport = {
      request: real.request,
      connect: (path, protocols, listener) => {
        const socket = real.connect(path, protocols, listener);
        sockets.push(socket);
        return socket;
      },
    };
    let received = '';
    let losses = 0;
    const connection = createClient({ transport }).subscribe({
      recordings: ['AUTH'],
      from: { AUTH: 0 },
      startTimer: (callback) => {
        const handle = setImmediate(callback);
        return () => clearImmediate(handle);
      },
      listener: {
        onFrame(frame) {
          if (frame.type !== 'stream') return;
          expect(frame.snapshot).toBeUndefined();
          received += frame.data;
          connection.send({ type: 'ack', session: frame.session, offset: frame.offset });
          if (random() < 0.2) {
            losses++;
            sockets.at(-1)?.close();
          }
        },
      },
    });
    server.world.onDispose(() => connection.dispose());

    let written = '';
    for (let part = 0; part < 60; part++) {
      const text = `${part} äöü ✓ 日本 😀 ${'x'.repeat(Math.floor(random() * 2_000))}\n`;
      recording.write(text);
      written += text;
      if (random() < 0.5) await waitFor(() => received.length > 0, { describe: 'something arrives' });
    }
    await waitFor(() => received.length >= written.length, {
      describe: 'everything arrives',
      actual: () => ({ received: received.length, written: written.length, losses }),
    });
    expect(received).toBe(written);
    expect(losses).toBeGreaterThan(0);
  },
);
