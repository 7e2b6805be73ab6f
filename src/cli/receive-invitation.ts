import { connect } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import type { Caller } from '../client/index.ts';
import { type AddedSays, AddingAsks, addingLine, CatalogueError, EXIT, readAddingLine } from '../protocol/index.ts';
import type { CliContext } from './context.ts';

/** How long the founder may be silent. If its connection broke, this machine must not stay half-joined. */
const SILENT_MS = 300_000;
/** How long an attempt to reach the founder's NATS server may take. */
const REACH_MS = 5_000;

/**
 * Does what `cbos fleet add` on the founder asks for, over standard input and output. If the founder does not confirm
 * that it sees this machine, the machine leaves the fleet again.
 */
export async function receiveInvitation(context: CliContext): Promise<void> {
  const { host, io, out, version } = context;
  const say = (message: AddedSays): Promise<void> => out.raw(`${addingLine(message)}\n`).catch(() => undefined);
  const lines = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  const stopListening = io.onInterrupt(() => lines.close());
  const asks = readAsks(lines);
  let client: Caller | null = null;
  let isUnconfirmed = false;
  try {
    const outcome = await host.startInBackground({ flags: {}, onProgress: () => undefined });
    client = await context.client();
    const { fleet, machines } = await client.call('fleet');
    await say({
      ...{ kind: 'hello', cbos: version, started: outcome === 'started' },
      fleet:
        fleet === null
          ? null
          : { machine: fleet.machine, founder: machines.find((machine) => machine.is_founder)?.id ?? null },
    });
    for (let ask = await asks(); ask !== null; ask = await asks()) {
      if (ask.kind === 'keep') {
        isUnconfirmed = false;
        await say({ kind: 'kept' });
        return;
      }
      if (ask.kind === 'reach') {
        await say({ kind: 'reached', reachable: await canReach(ask) });
        continue;
      }
      // If the answer of the server is lost, this machine may have joined nevertheless.
      isUnconfirmed = true;
      const joined = await client.call('joinFleet', { body: ask.request }).catch((error: unknown) => {
        isUnconfirmed = !(error instanceof CatalogueError) || error.code === 'no_server';
        throw error;
      });
      const own = joined.machines.find((machine) => machine.is_self);
      if (own === undefined)
        throw new CatalogueError('machine_unreachable', 'This machine joined, but is not connected');
      await say({ kind: 'joined', id: own.id, name: own.name });
    }
    context.exitCode = EXIT.failed;
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    await say({ kind: 'failed', error: error.toBody() });
    context.exitCode = EXIT.failed;
  } finally {
    stopListening();
    lines.close();
    if (client !== null && isUnconfirmed) {
      await client.call('leaveFleet').catch(() => undefined);
      await say({ kind: 'left' });
    }
  }
}

/** Returns a function that resolves with the next message, or with null once there is none. */
function readAsks(lines: Interface): () => Promise<AddingAsks | null> {
  const messages = lines[Symbol.asyncIterator]();
  return async () => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<{ done: true; value: undefined }>((resolve) => {
      timer = setTimeout(() => resolve({ done: true, value: undefined }), SILENT_MS);
    });
    try {
      const next = await Promise.race([messages.next(), late]);
      return next.done === true ? null : (readAddingLine(next.value, AddingAsks) ?? null);
    } finally {
      clearTimeout(timer);
    }
  };
}

function canReach({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: REACH_MS });
    const end = (reachable: boolean) => (): void => {
      socket.destroy();
      resolve(reachable);
    };
    socket.once('connect', end(true)).once('timeout', end(false)).once('error', end(false));
  });
}
