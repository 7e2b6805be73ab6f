/** Some bytes of output, and the offset at which they end. */
export interface Output {
  bytes: Uint8Array;
  to: number;
}

/** A queue of output that has been read and is waiting to be drawn. */
export class WaitingOutput {
  #queue: Output[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the bytes that follow those already waiting. The bytes are kept without being copied. */
  add(output: Output): void {
    this.#queue.push(output);
    this.#bytes += output.bytes.length;
  }

  /** Removes and returns the first `most` bytes, or all bytes if fewer are waiting. If none are waiting, `to` is 0. */
  take(most: number): Output {
    const pieces: Uint8Array[] = [];
    let room = most;
    let end = 0;
    for (let [next] = this.#queue; next !== undefined && room > 0; [next] = this.#queue) {
      const rest = next.bytes.subarray(room);
      pieces.push(next.bytes.subarray(0, room));
      room -= next.bytes.length - rest.length;
      end = next.to - rest.length;
      if (rest.length > 0) this.#queue[0] = { bytes: rest, to: next.to };
      else this.#queue.shift();
    }
    this.#bytes -= most - room;
    return { bytes: Buffer.concat(pieces), to: end };
  }

  clear(): void {
    this.#queue = [];
    this.#bytes = 0;
  }
}
