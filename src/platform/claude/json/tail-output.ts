import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { watchFile } from '../../files/watch-file.ts';
import { LineReader, type ReadLines } from './lines.ts';

/** How much is read at once. Parsing that much takes about a millisecond. */
const READ_BYTES = 262_144;
/**
 * The minimum time between two reads. An answer arrives in hundreds of small writes, and each read requires a
 * transaction.
 */
const READ_INTERVAL_MS = 5;

export interface OutputTail {
  /** reads the output that is available at the moment */
  catchUp(): Promise<void>;
  /** Reads the rest of the output after the process has ended, including an unfinished last line, and then stops. */
  finish(): Promise<void>;
  /** stops the tail; no callback is called afterwards */
  dispose(): void;
}

/**
 * Follows the output of a Claude Code process as it grows, using inotify. The file must exist.
 * @param options.from the position after the last line that an earlier tail has stored
 * @param options.onLines receives complete lines as events; once it returns, they count as stored
 */
export function tailOutput(options: {
  file: string;
  from: number;
  onLines: (lines: ReadLines) => void;
  onError: (error: unknown) => void;
}): OutputTail {
  const reader = new LineReader(options.from);
  let handle: FileHandle | null = null;
  let running: Promise<void> | null = null;
  let isDirty = false;
  let isOver = false;
  let lastReadAt = 0;

  async function readOn(): Promise<void> {
    handle ??= await open(options.file, 'r');
    for (;;) {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, READ_BYTES, reader.position);
      if (bytesRead === 0 || isOver) return;
      const lines = reader.take(buffer.subarray(0, bytesRead));
      if (lines.events.length > 0) options.onLines(lines);
    }
  }
  async function run(): Promise<void> {
    while (isDirty && !isOver) {
      const pause = lastReadAt + READ_INTERVAL_MS - performance.now();
      if (pause > 0) await delay(pause);
      isDirty = false;
      lastReadAt = performance.now();
      await readOn();
    }
  }
  function catchUp(): Promise<void> {
    isDirty = true;
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  }
  async function close(): Promise<void> {
    await running?.catch(() => undefined);
    await handle?.close();
    handle = null;
  }

  const stopWatching = watchFile(options.file, () => {
    if (!isOver) catchUp().catch(options.onError);
  });
  return {
    catchUp,
    finish: async () => {
      stopWatching();
      await catchUp();
      const rest = reader.end();
      if (!isOver && rest.events.length > 0) options.onLines(rest);
      isOver = true;
      await close();
    },
    dispose: () => {
      isOver = true;
      stopWatching();
      close().catch(options.onError);
    },
  };
}
