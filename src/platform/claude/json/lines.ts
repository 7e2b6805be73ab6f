import { ClaudeEvent } from '../../../protocol/index.ts';

/**
 * The maximum length of a line. A longer line is not kept in full, because it would have to be parsed, stored, and sent
 * to every client in one piece.
 */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** How much is shown of output that is not an event. */
const MAX_RAW_CHARS = 10_000;
const NEWLINE = 0x0a;

/** The complete lines that were read, and the position in the file after the last of them. */
export interface ReadLines {
  events: ClaudeEvent[];
  offset: number;
}

/**
 * Splits a process's output into lines and parses each line as an event. The reader keeps at most one incomplete line
 * in memory.
 */
export class LineReader {
  #offset: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** the number of bytes that were discarded from a line that is too long */
  #droppedBytes = 0;

  /** @param offset the position of the first byte in the file; a line must begin there */
  constructor(offset: number) {
    this.#offset = offset;
  }

  /** the position of the next byte to read */
  get position(): number {
    return this.#offset + this.#pendingBytes + this.#droppedBytes;
  }

  take(bytes: Buffer): ReadLines {
    const events: ClaudeEvent[] = [];
    let begin = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
      this.#hold(bytes.subarray(begin, end));
      const event = this.#finish(1);
      if (event !== null) events.push(event);
      begin = end + 1;
    }
    this.#hold(bytes.subarray(begin));
    return { events, offset: this.#offset };
  }

  /** Handles the end of the output. Whatever is left belongs to a line that was never finished. */
  end(): ReadLines {
    const event = this.position > this.#offset ? this.#finish(0) : null;
    return { events: event === null ? [] : [event], offset: this.#offset };
  }

  #hold(bytes: Buffer): void {
    if (this.#pendingBytes + bytes.length > MAX_LINE_BYTES) {
      this.#droppedBytes += bytes.length;
      return;
    }
    if (bytes.length > 0) this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  #finish(newlineBytes: number): ClaudeEvent | null {
    const line = Buffer.concat(this.#pending);
    const dropped = this.#droppedBytes;
    this.#offset = this.position + newlineBytes;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#droppedBytes = 0;
    if (dropped > 0) return rawEvent(line, line.length + dropped);
    return line.length === 0 ? null : readEvent(line);
  }
}

function readEvent(line: Buffer): ClaudeEvent {
  try {
    const event = ClaudeEvent.safeParse(JSON.parse(line.toString('utf8')));
    if (event.success) return event.data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return rawEvent(line, line.length);
}

function rawEvent(line: Buffer, sizeBytes: number): ClaudeEvent {
  const text = line.subarray(0, MAX_RAW_CHARS * 4).toString('utf8');
  const shown = text.slice(0, MAX_RAW_CHARS);
  return {
    type: 'raw',
    content: shown.length < text.length || line.length < sizeBytes ? `${shown}… (${sizeBytes} bytes)` : shown,
  };
}
