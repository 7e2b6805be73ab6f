import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemClock } from '../../../src/server/clock.ts';
import { createSessionRecording } from '../../../src/server/screen/recording.ts';
import type { SessionRecording } from '../../../src/server/session/session-recording.ts';
import { startFaces, TOKEN } from '../../harness/faces.ts';
import { HEADER } from '../../harness/memory-recording.ts';
import { playRestless } from '../../harness/restless-clients.ts';

const SESSIONS = 20;
const CLIENTS = 10;
/** `npm run bench stream-bytes` plays the whole 50 MB. A tenth of them shows the same faults. */
const TOTAL_BYTES = 5_000_000;

test('ten clients that come and go have every byte of twenty sessions, and the streams equal the files', async () => {
  await using server = await startFaces();
  const { world, sessions } = server;
  const recordings = new Map<string, SessionRecording>();
  Object.assign(sessions, { stream: (slug: string) => recordings.get(slug) });
  for (let index = 0; index < SESSIONS; index++) {
    const slug = `S${index}`;
    const typescript = join(world.streamDir, `${slug}.typescript`);
    writeFileSync(typescript, HEADER);
    const recording = createSessionRecording({
      slug: () => slug,
      files: { typescript, timing: null },
      size: { cols: 80, rows: 24 },
      clock: createSystemClock(),
      onFrame: () => undefined,
      onResize: () => undefined,
      onLost: null,
      onDamage: () => undefined,
      onAside: (cause) => expect.unreachable(String(cause)),
      onDeleted: () => Promise.resolve(),
      onFault: (cause) => expect.unreachable(String(cause)),
    });
    world.onDispose(() => recording.close());
    recordings.set(slug, recording);
    sessions.addWithoutRecording(slug);
  }
  const { reconnects } = await playRestless({
    world,
    url: `http://127.0.0.1:${server.port}`,
    token: TOKEN,
    recordings: [...recordings].map(([slug, recording]) => ({ slug, file: recording.file(), start: HEADER.length })),
    clients: CLIENTS,
    totalBytes: TOTAL_BYTES,
    seed: 99,
  });
  expect(reconnects).toBeGreaterThan(CLIENTS);
  for (const [slug, recording] of recordings) {
    const whole = await server.call(`/sessions/${slug}/stream`);
    expect(whole.bytes.equals(readFileSync(recording.file()))).toBe(true);
  }
});
