import { expect } from 'vitest';
import type { StreamFrame } from '../../src/protocol/index.ts';
import type { TestSocket } from './faces.ts';
import { HEADER, type MemoryRecording } from './memory-recording.ts';
import { waitFor } from './wait-for.ts';

type OutputFrame = Extract<StreamFrame, { type: 'stream' }>;

/**
 * Checks the frames of one session against its recording: no gap, no repetition, no split character, correct offsets.
 */
export class Follower {
  readonly #socket: TestSocket<StreamFrame>;
  readonly #recording: MemoryRecording;

  constructor(socket: TestSocket<StreamFrame>, recording: MemoryRecording) {
    this.#socket = socket;
    this.#recording = recording;
  }

  frames(): OutputFrame[] {
    return this.#socket.of('stream').filter(({ session }) => session === this.#recording.slug);
  }

  snapshots(): OutputFrame[] {
    return this.frames().filter(({ snapshot }) => snapshot === true);
  }

  /** the offset up to which frames have arrived */
  offset(): number {
    return this.frames().at(-1)?.offset ?? 0;
  }

  /** Waits until everything written so far has arrived. */
  async caughtUp(): Promise<void> {
    await waitFor(() => this.offset() === this.#recording.end(), {
      describe: `${this.#recording.slug} is followed to ${this.#recording.end()}`,
      actual: () => this.offset(),
    });
  }

  /**
   * @param from the requested offset, if no snapshot comes first
   */
  check(from?: number): void {
    const output = this.#recording.output();
    let position = from === undefined ? null : Math.max(from, HEADER.length);
    for (const frame of this.frames()) {
      if (frame.snapshot === true) {
        expect(frame.data).toBe(this.#recording.screenAt(frame.offset));
      } else {
        expect(position).not.toBeNull();
        const bytes = output.subarray((position ?? 0) - HEADER.length, frame.offset - HEADER.length);
        expect(frame.data).toBe(bytes.toString());
        expect(frame.data).not.toBe('');
      }
      position = frame.offset;
    }
  }
}
