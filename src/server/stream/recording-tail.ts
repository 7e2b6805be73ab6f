import { splitUtf8 } from '../../core/recording/utf8.ts';
import { continuationLength } from '../../core/stream/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { RecordingStream } from '../sessions.ts';

/** Returns the end of a recording as text, at most `maxBytes` bytes, without splitting a character. */
export async function recordingTail(recording: RecordingStream, maxBytes: number): Promise<string> {
  await recording.follow();
  const end = recording.end();
  const from = Math.max(recording.start(), end - maxBytes);
  const bytes = await readRange(recording.file(), from, end);
  const { complete } = splitUtf8(from > recording.start() ? bytes.subarray(continuationLength(bytes)) : bytes);
  return Buffer.from(complete.buffer, complete.byteOffset, complete.byteLength).toString('utf8');
}
