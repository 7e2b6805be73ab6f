import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readRegularFile } from '../files/regular-file.ts';
import { isAlive, type ProcessId, parseStat } from '../process/index.ts';

/**
 * A directory in the spool that contains the payloads of waiting hooks. From these files, a restarted server learns
 * which hooks are waiting.
 */
const KEPT_DIR = 'waits';

/** The maximum size of the payload of a waiting hook. The payload may contain a plan or a file to be written. */
const MOST_BYTES = 64_000_000;

/**
 * How long to wait for a hook to read the reply. A hook that takes longer must be suspended: a pipe holds 64 kB, and a
 * running hook reads 1 MB per second.
 */
const TAKEN_MS = 5_000;
const LOOK_MS = 5;

/**
 * A process that is waiting for a reply, as described in the first line of a payload by its key and by the kernel's
 * description of the process.
 */
export interface Waiting extends ProcessId {
  key: string;
}

/** What a hook reported before it started waiting. */
export interface AskedPayload {
  waiting: Waiting;
  payload: unknown;
}

/**
 * The hooks of this home's sessions that are waiting for a reply. Each hook is identified by its file name without
 * `.json`.
 */
export interface ReplyWaits {
  /** the whole payload, or null if the hook is no longer waiting for a reply */
  asked(id: string): Promise<unknown>;
  /**
   * Prints a reply through the hook, which then ends. Only the first reply counts, because the hook does not read a
   * second one.
   * @returns whether the hook received the reply; false if the hook has ended
   */
  reply(id: string, reply: object): Promise<boolean>;
  /**
   * Ends the wait without a reply, so that someone at the terminal can answer the dialog.
   * @returns whether the hook was told to end; false if it had ended before
   */
  leave(id: string): Promise<boolean>;
  /** the ids of all waits that are stored */
  list(): Promise<string[]>;
}

const HEAD = /^([0-9a-f-]{36}) (.+)$/;

/** @returns null if the line does not describe a wait */
export function parseWaiting(line: string): Waiting | null {
  const [, key, stat] = HEAD.exec(line) ?? [];
  const process = stat === undefined ? null : parseStat(stat);
  if (key === undefined || process === null) return null;
  return { key, pid: process.pid, startTime: process.startTime };
}

/**
 * Splits the text of a payload file into the payload and the process that is waiting for the reply. The process is null
 * if the hook did not wait. @throws Error if the text is not a payload
 */
export function splitPayload(text: string): { waiting: Waiting | null; payload: unknown } {
  if (text.startsWith('{')) return { waiting: null, payload: JSON.parse(text) };
  const end = text.indexOf('\n');
  const waiting = parseWaiting(text.slice(0, end));
  if (waiting === null) throw new Error('neither a payload nor a payload with its wait');
  return { waiting, payload: JSON.parse(text.slice(end + 1)) };
}

/** Stores a delivered payload as long as its hook waits. */
export async function keepWait(spoolDir: string, name: string): Promise<void> {
  const kept = join(spoolDir, KEPT_DIR);
  await mkdir(kept, { recursive: true, mode: 0o700 });
  await rename(join(spoolDir, name), join(kept, name));
}

export function openReplyWaits(spoolDir: string): ReplyWaits {
  const kept = join(spoolDir, KEPT_DIR);
  // A payload is stored shortly after it has been delivered, and only then moves from the first place to the second.
  const places = (id: string): string[] => [spoolDir, kept].map((dir) => join(dir, `${id}.json`));

  async function read(id: string): Promise<AskedPayload | null> {
    for (const place of places(id)) {
      const text = await readRegularFile(place, { mostBytes: MOST_BYTES, followsLinks: false }).catch(ignoreMissing);
      if (text === null) continue;
      const { waiting, payload } = splitPayload(text);
      return waiting !== null && (await isAlive(waiting)) ? { waiting, payload } : null;
    }
    return null;
  }

  async function tell(id: string, text: string): Promise<boolean> {
    const found = await read(id);
    const isTold = found !== null && (await writeLine(found.waiting, text));
    // The order of the reads matters, because the payload may move from the first place to the second between them.
    for (const place of places(id)) await rm(place, { force: true });
    return isTold;
  }

  return {
    asked: async (id) => (await read(id))?.payload ?? null,
    reply: (id, reply) => tell(id, asciiJson(reply)),
    leave: (id) => tell(id, ''),
    list: async () => {
      const names = await readdir(kept).catch(ignoreMissing);
      return (names ?? []).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []));
    },
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

/** Returns JSON that contains only ASCII characters, because some shells corrupt other bytes when they read them. */
function asciiJson(value: object): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Writes a line to the hook. The leading line feed ends any incomplete line that a killed server may have left behind.
 */
async function writeLine({ key, ...process }: Waiting, text: string): Promise<boolean> {
  const place = await openPlaceOf(process);
  if (place === null) return false;
  try {
    // Between the check and the opening, another process may have received the same pid.
    if (!(await place.stat()).isFIFO() || !(await isAlive(process))) return false;
    return await writeAll({ place, process, bytes: Buffer.from(`\n${key}${text}${key}\n`) });
  } finally {
    await place.close();
  }
}

/** Opens the hook's FIFO. Returns null if there is no such process, or if the system lacks Linux's /proc. */
async function openPlaceOf({ pid }: ProcessId): Promise<FileHandle | null> {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  return open(`/proc/${pid}/fd/3`, flags).catch((error: NodeJS.ErrnoException) => {
    if (['ENOENT', 'ENXIO', 'EACCES', 'ESRCH'].includes(error.code ?? '')) return null;
    throw error;
  });
}

async function writeAll(parts: { place: FileHandle; process: ProcessId; bytes: Buffer }): Promise<boolean> {
  const { place, process, bytes } = parts;
  let looks = TAKEN_MS / LOOK_MS;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += (await place.write(bytes, at)).bytesWritten;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return false;
      if (code !== 'EAGAIN') throw error;
      // If the FIFO is full, the process is still reading, has been suspended, or has ended.
      looks -= 1;
      if (looks < 0 || !(await isAlive(process))) return false;
      await delay(LOOK_MS);
    }
  }
  return true;
}
