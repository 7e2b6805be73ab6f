import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';

/**
 * How much of the committed data is still in the write-ahead log of a database. SQLite itself uses the frames up to the
 * first invalid one and silently drops the rest. It does not distinguish frames that a killed process left unfinished
 * from frames that were damaged later.
 */
export type LogHealth =
  | 'whole'
  /** committed frames are missing or damaged, but the frames before them can be used */
  | 'damaged'
  /**
   * nothing in the log can be used, either because it is not a log or because it contains less than the database file
   * already does
   */
  | 'unusable';

/**
 * The first bytes of every write-ahead log. The last bit indicates the byte order of its checksums
 * (https://sqlite.org/fileformat2.html#walformat).
 */
const LOG_MAGIC = 0x377f0682;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * Examines a write-ahead log before SQLite does. This takes about 10 ms for each 4 MB. A log that is missing or empty
 * counts as whole.
 */
export function examineLog(database: string): LogHealth {
  const log = `${database}-wal`;
  if (!existsSync(log)) return 'whole';
  const fd = openSync(log, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(fd, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return 'whole';
    const start = readHeader(header);
    if (start === null) return 'unusable';
    const { intact, isCommittedAfter } = readFrames(fd, start);
    const { committed, inDatabase } = readIndex(`${database}-shm`, start.salts);
    if (intact >= committed && !isCommittedAfter) return 'whole';
    // In that case, older pages in the log would hide newer ones in the database file.
    return intact < inDatabase ? 'unusable' : 'damaged';
  } finally {
    closeSync(fd);
  }
}

type Sums = readonly [number, number];

interface LogStart {
  isBigEndian: boolean;
  pageBytes: number;
  /** how many times the log has been restarted */
  restarts: number;
  /**
   * values that each frame repeats; they change each time the log is restarted, which distinguishes new frames from
   * older ones
   */
  salts: Buffer;
  sums: Sums;
}

/** @returns null if the bytes are not a header, or if the header is damaged */
function readHeader(header: Buffer): LogStart | null {
  const magic = header.readUInt32BE(0);
  const isBigEndian = (magic & 1) === 1;
  const sums = addUp(header.subarray(0, 24), [0, 0], isBigEndian);
  if ((magic & ~1) !== LOG_MAGIC || !isSum(header, 24, sums)) return null;
  const [pageBytes, restarts] = [header.readUInt32BE(8), header.readUInt32BE(12)];
  return { isBigEndian, pageBytes, restarts, salts: header.subarray(16, 24), sums };
}

/**
 * Counts the intact frames from the first one onwards, and checks whether a later frame shows that committed frames
 * have been damaged. A frame shows this if it ends a transaction in this log, or if it belongs neither to this log nor
 * to the time before the log was restarted. A killed process leaves no such frame behind.
 */
function readFrames(fd: number, start: LogStart): { intact: number; isCommittedAfter: boolean } {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + start.pageBytes);
  let { sums } = start;
  let intact = 0;
  let isBroken = false;
  for (let number = 0; ; number += 1) {
    if (readSync(fd, frame, 0, frame.length, HEADER_BYTES + number * frame.length) < frame.length)
      return { intact, isCommittedAfter: false };
    const isOfThisLog = start.salts.equals(frame.subarray(8, 16));
    if (!isBroken && isOfThisLog) {
      sums = addUp(
        frame.subarray(FRAME_HEADER_BYTES),
        addUp(frame.subarray(0, 8), sums, start.isBigEndian),
        start.isBigEndian,
      );
      if (isSum(frame, 16, sums)) {
        intact += 1;
        continue;
      }
    }
    isBroken = true;
    const endsTransaction = frame.readUInt32BE(4) !== 0;
    if (isOfThisLog ? endsTransaction : !isLeftOver(frame, start)) return { intact, isCommittedAfter: true };
  }
}

/**
 * Reports whether a frame is left over from before the log was restarted. The first salt increases by one each time the
 * log is restarted.
 */
function isLeftOver(frame: Buffer, { salts, restarts }: LogStart): boolean {
  const ago = (salts.readUInt32BE(0) - frame.readUInt32BE(8)) >>> 0;
  return ago >= 1 && ago <= restarts;
}

/** Computes the checksums in SQLite's log, over pairs of words. Each checksum covers everything that precedes it. */
function addUp(bytes: Buffer, [before0, before1]: Sums, isBigEndian: boolean): Sums {
  let [sum0, sum1] = [before0, before1];
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    const word0 = isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at);
    const word1 = isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4);
    sum0 = (sum0 + word0 + sum1) >>> 0;
    sum1 = (sum1 + word1 + sum0) >>> 0;
  }
  return [sum0, sum1];
}

const isSum = (bytes: Buffer, at: number, [sum0, sum1]: Sums): boolean =>
  bytes.readUInt32BE(at) === sum0 && bytes.readUInt32BE(at + 4) === sum1;

/**
 * The index of the log, which a killed process leaves behind (https://sqlite.org/walformat.html#walidxfmt). It has two
 * identical headers, which the checkpoint header follows.
 */
const INDEX_HEADER_BYTES = 48;
const CHECKPOINT_AT = 2 * INDEX_HEADER_BYTES;
const INDEX_READ_BYTES = CHECKPOINT_AT + 40;

/**
 * Returns the minimum number of frames in a log that must have been committed, and how many of them are in the database
 * file. Both are 0 if the index does not reveal them.
 */
function readIndex(index: string, salts: Buffer): { committed: number; inDatabase: number } {
  const bytes = existsSync(index) ? readFileSync(index).subarray(0, INDEX_READ_BYTES) : Buffer.alloc(0);
  const header = bytes.subarray(0, INDEX_HEADER_BYTES);
  const isRight =
    bytes.length === INDEX_READ_BYTES &&
    header.equals(bytes.subarray(INDEX_HEADER_BYTES, CHECKPOINT_AT)) &&
    header[12] === 1 &&
    salts.equals(header.subarray(32, 40));
  if (!isRight) return { committed: 0, inDatabase: 0 };
  return { committed: header.readUInt32LE(16), inDatabase: bytes.readUInt32LE(CHECKPOINT_AT) };
}
