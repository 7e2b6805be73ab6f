import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { continuationLength, unfinishedLength } from '../../src/core/stream/index.ts';
import { Emitter } from '../../src/emitter/emitter.ts';
import type { RecordingStream } from '../../src/server/sessions.ts';

/** The header that `script` writes before the output. Every recording here begins with it. */
export const HEADER =
  'Script started on 2026-11-20 15:04:05+00:00 [COMMAND="claude" TERM="screen" COLUMNS="80" LINES="24"]\n';

/** The size of a screen full of text. */
const SCREEN_BYTES = 4000;

/** A recording in a real file, written by the test. */
export class MemoryRecording implements RecordingStream {
  slug: string;
  /** the timing file, which the test writes */
  timing: string | null = null;
  #file: string;
  #end: number;
  #epoch = 0;
  #isRead = true;
  readonly #bytes = new Emitter<[bytes: Uint8Array, offset: number]>();
  readonly #resets = new Emitter<[epoch: number]>();

  constructor(slug: string, file: string) {
    this.slug = slug;
    this.#file = file;
    writeFileSync(file, HEADER);
    this.#end = HEADER.length;
  }

  file = (): string => this.#file;
  source = () => ({ typescript: this.#file, timing: this.timing, cols: null, rows: null });
  start = (): number => (this.#isRead ? Math.min(HEADER.length, this.#end) : 0);
  end = (): number => (this.#isRead ? this.#end : 0);
  epoch = (): number => this.#epoch;

  /** Forgets the state, as after a server restart. Nothing is known about the recording until somebody follows it. */
  unread(): void {
    this.#isRead = false;
  }

  async follow(): Promise<void> {
    if (this.#isRead) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#isRead = true;
    this.#bytes.tell(this.output(), HEADER.length);
  }

  write(output: string | Uint8Array): void {
    const bytes = Buffer.from(output);
    if (this.#end === 0) {
      appendFileSync(this.#file, HEADER);
      this.#end = HEADER.length;
    }
    const offset = this.#end;
    appendFileSync(this.#file, bytes);
    this.#end += bytes.length;
    if (!this.#isRead) return;
    this.#bytes.tell(bytes, offset);
    // Overwrites the buffer as a reader that reuses it would. A caller that did not copy the buffer then shows the
    // wrong bytes.
    bytes.fill(0x21);
  }

  /** Returns everything that was written, without the header. */
  output(): Buffer {
    return readFileSync(this.#file).subarray(HEADER.length);
  }

  /**
   * Replaces the file as a restart does: the old file is moved away, and a new one begins.
   * @param isEmpty whether the new file does not even have its header line yet
   */
  replace(isEmpty = false): void {
    this.#epoch++;
    renameSync(this.#file, `${this.#file}.${this.#epoch}`);
    writeFileSync(this.#file, isEmpty ? '' : HEADER);
    this.#end = isEmpty ? 0 : HEADER.length;
    this.#resets.tell(this.#epoch);
  }

  moveTo(slug: string, file: string): void {
    renameSync(this.#file, file);
    this.#file = file;
    this.slug = slug;
  }

  /** Returns the end of the output as a terminal shows it, without an unfinished character or sequence. */
  async snapshot(): Promise<{ data: string; offset: number }> {
    await this.follow();
    await new Promise((resolve) => setImmediate(resolve));
    return { data: this.screenAt(this.#end - unfinishedLength(this.output())), offset: this.#end };
  }

  /** Returns the contents of a terminal that has processed everything before an offset. */
  screenAt(offset: number): string {
    const understood = this.output().subarray(0, Math.max(0, offset - HEADER.length));
    const shown = understood.subarray(Math.max(0, understood.length - SCREEN_BYTES));
    return `\x1bc${shown.subarray(continuationLength(shown)).toString()}`;
  }

  onBytes = this.#bytes.on;
  onReset = this.#resets.on;

  listeners(): number {
    return this.#bytes.size + this.#resets.size;
  }
}
