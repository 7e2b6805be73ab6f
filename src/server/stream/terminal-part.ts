import type { z } from 'zod';
import { splitUtf8 } from '../../core/recording/utf8.ts';
import { FRAME_BYTES, MAX_LAG_BYTES } from '../../core/stream/index.ts';
import { createEmulator } from '../../platform/emulator/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { TerminalPart, TerminalQuery } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { RecordingStream, Sessions } from '../sessions.ts';
import { takeSnapshot } from './recording-tail.ts';
import { sessionSize } from './session-size.ts';

/**
 * Returns the next piece of a session's terminal. The client requests each piece, so the server keeps nothing for a
 * client. A slow client simply sends fewer requests, and a client that has fallen far behind gets the current screen
 * instead of the output that led to it.
 * @throws CatalogueError no_such_session, no_recording
 */
export async function readTerminalPart(
  sessions: Pick<Sessions, 'get' | 'stream'>,
  { slug, query, clock }: { slug: string; query: z.output<typeof TerminalQuery>; clock: Pick<Clock, 'after'> },
): Promise<TerminalPart> {
  const recording = sessions.stream(slug);
  await recording.follow();
  const { from, epoch = recording.epoch() } = query;
  const isKnown = (): boolean =>
    from !== undefined &&
    epoch === recording.epoch() &&
    from <= recording.end() &&
    recording.end() - from <= MAX_LAG_BYTES;
  const describe = (part: Pick<TerminalPart, 'data' | 'offset' | 'snapshot'>): TerminalPart => {
    // A session may be renamed while a client waits for its output.
    const session = sessions.get(recording.slug);
    const ended = session.status.primary === 'dead';
    return { ...part, epoch: recording.epoch(), ...sessionSize(session), ended };
  };

  if (from !== undefined && isKnown()) {
    const seen = recording.end();
    let part = await readPart(recording, from);
    if (part?.data === '' && (query.wait_ms ?? 0) > 0) {
      await nextOutput(recording, { seen, epoch, waitMs: query.wait_ms ?? 0, clock });
      part = isKnown() ? await readPart(recording, from) : null;
    }
    if (part !== null && epoch === recording.epoch()) return describe({ ...part, snapshot: false });
  }
  for (;;) {
    const began = recording.epoch();
    const size = sessionSize(sessions.get(recording.slug));
    const { data, offset } = await takeSnapshot(recording);
    const screen = await withoutScrollback(data, size);
    if (began === recording.epoch()) return describe({ data: screen, offset, snapshot: true });
  }
}

/**
 * Returns the complete characters that begin at an offset, or null if the recording has been replaced in the meantime.
 */
async function readPart(recording: RecordingStream, from: number): Promise<{ data: string; offset: number } | null> {
  const begin = Math.max(from, recording.start());
  const to = Math.min(recording.end(), begin + FRAME_BYTES);
  const epoch = recording.epoch();
  const bytes = await readRange(recording.file(), begin, to).catch((error: unknown) => {
    if (epoch === recording.epoch()) throw error;
    return null; // the file was moved away while it was being read
  });
  if (bytes === null || bytes.length < to - begin) return null;
  const { complete } = splitUtf8(bytes);
  const data = Buffer.from(complete.buffer, complete.byteOffset, complete.byteLength).toString('utf8');
  return { data, offset: begin + complete.length };
}

/**
 * Resolves when the recording has grown beyond `seen`, when it has been replaced, or when the time limit is reached.
 */
function nextOutput(
  recording: RecordingStream,
  { seen, epoch, waitMs, clock }: { seen: number; epoch: number; waitMs: number; clock: Pick<Clock, 'after'> },
): Promise<void> {
  return new Promise((resolve) => {
    const disposers: (() => void)[] = [];
    const done = (): void => {
      for (const dispose of disposers.splice(0)) dispose();
      resolve();
    };
    disposers.push(recording.onBytes(done), recording.onReset(done), clock.after(waitMs, done));
    // Output may have arrived while the previous part was being read from the file.
    if (recording.end() !== seen || recording.epoch() !== epoch) done();
  });
}

/** Returns a snapshot without the scrollback, which can be longer than the largest message between two machines. */
async function withoutScrollback(data: string, size: { cols: number; rows: number }): Promise<string> {
  const emulator = createEmulator({ ...size, scrollback: 0 });
  try {
    emulator.write(Buffer.from(data));
    await emulator.flush();
    return emulator.serialize();
  } finally {
    emulator.dispose();
  }
}
