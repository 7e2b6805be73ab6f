import { connect, createServer, type Socket } from 'node:net';
import type { Random } from '../torture/random.ts';

/** What is between a machine and the NATS servers: a port for each server, which all fail together. */
export interface Link extends AsyncDisposable {
  /** in the order of the servers */
  ports: readonly number[];
  /** Ends all connections at once, without any message in the protocol that they carry. */
  cut(): void;
  /** Delays everything in both directions for a while. Nothing is lost. */
  hold(ms: number): void;
  /**
   * Delays each piece by a random time for a while. Where messages are not encrypted, each message is a piece and later
   * ones overtake it; elsewhere, the order remains.
   */
  shake(ms: number): void;
}

/** How much a shaken link delays a piece at most. */
const SHAKEN_MS = 400;

/**
 * @param options.isPlain whether the connections carry the NATS protocol in clear text, so that its messages can
 * overtake each other
 */
export async function startLink(
  targets: readonly number[],
  options: { isPlain: boolean; random: Random },
): Promise<Link> {
  const sockets = new Set<Socket>();
  let heldUntil = 0;
  let shakenUntil = 0;
  const holdMs = (): number => Math.max(0, heldUntil - performance.now());
  const delayMs = (): number => holdMs() + (performance.now() < shakenUntil ? options.random.int(0, SHAKEN_MS) : 0);

  const passInOrder = (from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      from.pause();
      setTimeout(() => {
        to.write(bytes);
        from.resume();
      }, delayMs());
    });
  };
  const passMessages = (from: Socket, to: Socket): void => {
    let rest: Buffer = Buffer.alloc(0);
    // What is no message, such as a subscription or the answer to a ping, keeps its place.
    let lastMs = 0;
    let placeMs = 0;
    from.on('data', (bytes: Buffer) => {
      const cut = splitMessages(Buffer.concat([rest, bytes]));
      rest = cut.rest;
      for (const { piece, isMessage } of cut.pieces) {
        const afterMs = Math.max(isMessage ? placeMs : lastMs, performance.now() + (isMessage ? delayMs() : holdMs()));
        lastMs = Math.max(lastMs, afterMs);
        if (!isMessage) placeMs = afterMs;
        const waitMs = afterMs - performance.now();
        if (waitMs <= 0) to.write(piece);
        else setTimeout(() => to.writable && to.write(piece), waitMs);
      }
    });
  };
  const pass = options.isPlain ? passMessages : passInOrder;

  const listen = async (target: number) => {
    const server = createServer((near) => {
      const far = connect(target, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket);
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
        socket.on('error', () => other.destroy());
        pass(socket, other);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  };
  const servers = await Promise.all(targets.map(listen));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    ports: servers.map((server) => {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      return address.port;
    }),
    cut,
    hold: (ms) => {
      heldUntil = Math.max(heldUntil, performance.now() + ms);
    },
    shake: (ms) => {
      shakenUntil = Math.max(shakenUntil, performance.now() + ms);
    },
    [Symbol.asyncDispose]: async () => {
      cut();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

interface Piece {
  piece: Buffer;
  isMessage: boolean;
}

/** The lines of the NATS protocol that a payload follows, whose length is their last word. */
const MESSAGE = /^(?:H?MSG|H?PUB) .*?(\d+)$/i;

/** Splits what a connection sent into whole lines and messages. */
export function splitMessages(bytes: Buffer): { pieces: Piece[]; rest: Buffer } {
  const pieces: Piece[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) break;
    const length = MESSAGE.exec(bytes.subarray(at, end).toString())?.[1];
    const next = end + 2 + (length === undefined ? 0 : Number(length) + 2);
    if (next > bytes.length) break;
    pieces.push({ piece: bytes.subarray(at, next), isMessage: length !== undefined });
    at = next;
  }
  return { pieces, rest: bytes.subarray(at) };
}
