import { splitUtf8 } from '../../core/recording/utf8.ts';
import { continuationLength, SEQUENCE_LOOKBACK_BYTES, unfinishedLength } from '../../core/stream/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { RecordingStream } from '../sessions.ts';

/** Output that is read by its offsets. */
export interface Output {
  /** the offset where the output begins */
  start(): number;
  /** Reads output. The result is shorter if the file ends before `to`. */
  read(from: number, to: number): Promise<Uint8Array>;
}

export const outputOf = (recording: RecordingStream): Output => ({
  start: () => recording.start(),
  read: (from, to) => readRange(recording.file(), from, to),
});

/** Returns the end of a recording as text, at most `maxBytes` bytes, without splitting a character. */
export async function recordingTail(recording: RecordingStream, maxBytes: number): Promise<string> {
  await recording.follow();
  const end = recording.end();
  const from = Math.max(recording.start(), end - maxBytes);
  const bytes = await readRange(recording.file(), from, end);
  const { complete } = splitUtf8(from > recording.start() ? bytes.subarray(continuationLength(bytes)) : bytes);
  return Buffer.from(complete.buffer, complete.byteOffset, complete.byteLength).toString('utf8');
}

/**
 * Returns the output before an offset, or nothing if the file cannot be read there, because it was just moved away or
 * is shorter than that.
 */
export async function bytesBefore(output: Output, offset: number, length: number): Promise<Uint8Array> {
  const from = Math.max(output.start(), offset - length);
  const bytes = await output.read(from, offset).catch(() => new Uint8Array());
  return bytes.length === offset - from ? bytes : new Uint8Array();
}

/**
 * Returns the screen, and an offset from which the bytes can be followed without splitting a character or escape
 * sequence.
 */
export async function takeSnapshot(recording: RecordingStream): Promise<{ data: string; offset: number }> {
  const { data, offset } = await recording.snapshot();
  const before = await bytesBefore(outputOf(recording), offset, SEQUENCE_LOOKBACK_BYTES);
  return { data, offset: offset - unfinishedLength(before) };
}
