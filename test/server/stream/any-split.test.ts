import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/platform/emulator/index.ts';
import type { StreamFrame } from '../../../src/protocol/index.ts';
import { createSystemClock } from '../../../src/server/clock.ts';
import { createSessionRecording } from '../../../src/server/screen/recording.ts';
import type { SessionRecording } from '../../../src/server/session/session-recording.ts';
import { type FacesUnderTest, startFaces, type TestSocket } from '../../harness/faces.ts';
import { HEADER } from '../../harness/memory-recording.ts';
import { waitFor } from '../../harness/wait-for.ts';

const SIZE = { cols: 80, rows: 24 };

let server: FacesUnderTest;
let recordings: Map<string, SessionRecording>;
beforeEach(async () => {
  server = await startFaces();
  recordings = new Map();
  Object.assign(server.sessions, { stream: (slug: string) => recordings.get(slug) });
});
afterEach(() => server[Symbol.asyncDispose]());

function begin(slug: string): SessionRecording {
  const typescript = join(server.world.streamDir, `${slug}.typescript`);
  writeFileSync(typescript, HEADER);
  const recording = createSessionRecording({
    slug: () => slug,
    files: { typescript, timing: null },
    size: SIZE,
    clock: createSystemClock(),
    onFrame: () => undefined,
    onResize: () => undefined,
    onLost: null,
    onDamage: () => undefined,
    onAside: (cause) => expect.unreachable(String(cause)),
    onDeleted: () => Promise.resolve(),
    onFault: (cause) => expect.unreachable(String(cause)),
  });
  server.world.onDispose(() => recording.close());
  recordings.set(slug, recording);
  server.sessions.addWithoutRecording(slug);
  return recording;
}

/** Returns a terminal that has drawn these pieces. */
async function terminal(pieces: readonly string[]): Promise<Emulator> {
  const emulator = createEmulator({ ...SIZE, scrollback: 1_000 });
  for (const piece of pieces) emulator.write(Buffer.from(piece));
  await emulator.flush();
  return emulator;
}

/** Returns what a client's terminal draws. A snapshot resets the terminal. */
function drawnBy(socket: TestSocket<StreamFrame>): string[] {
  return socket.of('stream').map(({ data, snapshot }) => (snapshot === true ? `\x1bc${data}` : data));
}

interface Client {
  socket: TestSocket<StreamFrame>;
  /** the offset that the client asked for; undefined if it began with a snapshot */
  from: number | undefined;
}

const token = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '\r\n',
      '❯ 漢字 👩‍💻',
      '\x1b[1;31m',
      '\x1b[0m',
      '\x1b[2;5H',
      '\x1b[2K\x1b[1A',
      '\x1b]0;a title\x07',
      '\x1b[?25l',
      '\x1b[?25h',
      '\x1b[?1049h',
      '\x1b[?1049l',
    ),
  },
);
/**
 * How the output arrives: cut after this many bytes, in the middle of anything, and which client then begins to follow.
 */
const arrival = fc.record({
  bytes: fc.integer({ min: 1, max: 80 }),
  isSeen: fc.boolean(),
  follow: fc.constantFrom('nobody', 'nobody', 'nobody', 'snapshot', 'offset'),
});

test('however output is cut, and whenever a client begins to follow, all have the same screen, offset and bytes', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(token, { minLength: 5, maxLength: 60 }),
      fc.infiniteStream(arrival),
      async (tokens, arrivals) => {
        const slug = `S${count++}`;
        const recording = begin(slug);
        const output = Buffer.from(`${tokens.join('')}\x18`);
        const clients: Client[] = [];
        const follow = async (from: number | undefined): Promise<void> => {
          const socket = await server.connectStream();
          const named = from === undefined ? {} : { from: { [slug]: from } };
          socket.send({ type: 'subscribe', sessions: [slug], ...named });
          await socket.next('subscribed');
          clients.push({ socket, from });
        };
        await follow(HEADER.length);
        for (let written = 0; written < output.length; ) {
          const { bytes, isSeen, follow: who } = arrivals.next().value;
          appendFileSync(recording.file(), output.subarray(written, written + bytes));
          written = Math.min(output.length, written + bytes);
          if (isSeen) await waitFor(() => recording.end() === HEADER.length + written, { describe: 'it is read' });
          else await nextTurn();
          if (who !== 'nobody' && clients.length < 4) {
            // The offset must be one that a client can know. The server treats an offset beyond what it has read as
            // none.
            const known = Math.max(HEADER.length, recording.end());
            await follow(who === 'snapshot' ? undefined : Math.floor((HEADER.length + known) / 2));
          }
        }
        const end = statSync(recording.file()).size;
        const whole = await terminal([output.toString()]);
        for (const { socket, from } of clients) {
          await waitFor(() => socket.of('stream').at(-1)?.offset === end, { describe: 'everything has arrived' });
          const frames = socket.of('stream');
          if (from === undefined) {
            expect(frames[0]?.snapshot).toBe(true);
            expect((await terminal(drawnBy(socket))).serialize()).toBe(whole.serialize());
          } else {
            const behind = output.subarray(from - HEADER.length).toString();
            expect(frames.map(({ data }) => data).join('')).toBe(behind);
            if (from === HEADER.length) expect((await terminal(drawnBy(socket))).serialize()).toBe(whole.serialize());
          }
          socket.ws.terminate();
        }
        const { data, offset } = await recording.snapshot();
        expect(offset).toBe(end);
        expect(data).toBe(whole.serialize());
        recording.close();
      },
    ),
    { numRuns: 20 },
  );
});
