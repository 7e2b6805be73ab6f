import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytes } from '../../platform/files/write-fault.ts';
import {
  dropOldestPart,
  finishPacking,
  listParts,
  PART_BYTES,
  packedUpTo,
  packPart,
  UNPACKED_END_BYTES,
} from '../../platform/recorder/index.ts';
import type { DropStore } from '../../platform/sqlite/drop-store.ts';
import type { DropReason, Recordings, Settings } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { RecordingStream, Sessions } from '../sessions.ts';
import { createSlots } from '../slots.ts';
import { bytesOf, listRecordings, nameOf, type OldRecording, statOf } from './list-recordings.ts';
import type { Replays } from './replays.ts';
import { watchGrowth } from './watch-growth.ts';

export interface BoundsOptions {
  sessions: Pick<Sessions, 'get' | 'list' | 'onEvent' | 'stream' | 'streams'>;
  replays: Replays;
  drops: DropStore;
  /** returns why nothing can be recorded at the moment; null if recordings can be written */
  fault: () => string | null;
  settings: Pick<Settings, 'stream_dir' | 'max_recording_size' | 'max_total_size' | 'keep_days'>;
  clock: Clock;
  logger: Logger;
  /** how long to pause after packing a part, in milliseconds; {@link REST_MS} by default */
  restMs?: number;
}

/** How long to pause after packing a part, so that packing (60 ms a part) uses at most a fifth of a core. */
const REST_MS = 250;
/** How often to look for expired recordings. Recordings are kept for days, so this need not be often. */
const TIDY_MS = 3_600_000;
/** How long to wait after the server's start before the first check, because answering requests is more urgent. */
const FIRST_TIDY_MS = 10_000;
const DAY_MS = 86_400_000;
/** Keeps the disk space used by recordings within the limits in the settings. */
export interface Bounds {
  /** Packs all recordings now, drops parts where necessary, and removes expired recordings. */
  tidy(): Promise<void>;
  /** Reports the disk space that recordings use, and how much of their content has been dropped. */
  report(): Promise<Recordings>;
  dispose(): void;
}

export function keepInBounds(options: BoundsOptions): Bounds {
  const { sessions, drops, settings, clock, logger, restMs = REST_MS } = options;
  let isDisposed = false;
  const rest = () => new Promise<void>((resolve) => void clock.after(restMs, resolve));
  const whileOpen = { rest, isDisposed: () => isDisposed };
  const pack = createPacker(logger, whileOpen);
  const { shrink, remove } = createDropper(options, whileOpen);
  const inTurn = createSlots(1);

  /** Runs one task at a time, so that packing never takes more than its share of the processor. */
  const queue = (task: () => Promise<void>, what: string): Promise<void> =>
    inTurn(async () => (isDisposed ? undefined : task())).catch((error: unknown) => logger.warn({ err: error }, what));

  async function tidyAll(): Promise<void> {
    for (const slug of sessions.streams()) {
      if (isDisposed) return;
      const stream = sessions.stream(slug);
      if (await isTidy(stream, settings.max_recording_size)) continue;
      await pack(stream);
      await shrink(stream, settings.max_recording_size, 'max_recording_size');
    }
    const all = await listRecordings(sessions, settings.stream_dir);
    const isOver = (one: OldRecording): boolean =>
      one.isEnded && one.changedAt < clock.now() - settings.keep_days * DAY_MS;
    for (const old of all.filter(isOver)) await remove(old, 'keep_days');
    await fitInto(
      settings.max_total_size,
      all.filter((one) => !isOver(one)),
    );
  }

  /**
   * Frees disk space until the recordings fit. First, the recordings of ended sessions are removed: those of unlisted
   * sessions before those of listed ones, and older recordings before newer ones. Then the recordings of running
   * sessions are shortened, beginning with the largest.
   */
  async function fitInto(mostBytes: number, all: readonly OldRecording[]): Promise<void> {
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    const ended = all
      .filter(({ isEnded }) => isEnded)
      .sort(
        (one, other) =>
          Number(one.session !== null) - Number(other.session !== null) || one.changedAt - other.changedAt,
      );
    for (const old of ended) {
      if (total <= mostBytes) return;
      await remove(old, 'max_total_size');
      total -= old.bytes;
    }
    const living = all.filter(({ isEnded }) => !isEnded).sort((one, other) => other.bytes - one.bytes);
    for (const { session, bytes } of living) {
      if (total <= mostBytes || session === null) continue;
      await shrink(session, Math.max(0, bytes - (total - mostBytes)), 'max_total_size');
      total += (await bytesOf(session.file())) - bytes;
    }
    if (total > mostBytes) logger.warn({ total }, 'recordings take more than max_total_size');
  }

  async function report(): Promise<Recordings> {
    const all = await listRecordings(sessions, settings.stream_dir);
    return {
      dir: settings.stream_dir,
      total_bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
      max_total_size: settings.max_total_size,
      free_bytes: await freeBytes(settings.stream_dir),
      fault: options.fault(),
      not_recorded: sessions.list().flatMap(({ slug, recording_stopped_at: at }) => (at === null ? [] : [slug])),
      dropped: drops.all(),
    };
  }

  const growth = watchGrowth({
    sessions,
    everyBytes: PART_BYTES,
    onGrown: (stream) => {
      void queue(async () => {
        if (!growth.has(stream)) return;
        await pack(stream);
        await shrink(stream, settings.max_recording_size, 'max_recording_size');
      }, 'a recording could not be packed');
    },
  });

  const tidy = () => queue(tidyAll, 'the recordings could not be cleaned up');
  let stopTimer = clock.after(FIRST_TIDY_MS, function again() {
    void tidy();
    stopTimer = clock.after(TIDY_MS, again);
  });

  return {
    tidy,
    report,
    dispose: () => {
      isDisposed = true;
      stopTimer();
      growth.dispose();
    },
  };
}

/** What work that takes long needs: it rests after each part, and ends early when the server closes. */
interface WhileOpen {
  rest(): Promise<void>;
  isDisposed(): boolean;
}

/** Returns what packs a recording. */
function createPacker(logger: Logger, { rest, isDisposed }: WhileOpen): (stream: RecordingStream) => Promise<void> {
  /** the files in which unfinished packing has been looked for since the server started */
  const finished = new Set<string>();

  /** @returns false if the file system does not support packing */
  async function packFile(file: string, end: number): Promise<boolean> {
    // Packing is left unfinished only if a server is killed, so one check for each file is enough. More checks would do
    // harm, because each changes the file's modification time.
    if (!finished.has(file)) await finishPacking(file);
    finished.add(file);
    let from = packedUpTo(await listParts(file));
    for (; from + PART_BYTES <= end - UNPACKED_END_BYTES; from += PART_BYTES) {
      if (isDisposed()) return true;
      if (!(await packPart(file, from))) return false;
      await rest();
    }
    return true;
  }

  return async (stream) => {
    const { size } = await stat(stream.file());
    // Bytes that the server has not read yet are not packed, because the live reader reads only the unpacked part of a
    // file.
    if (!(await packFile(stream.file(), stream.end() === 0 ? size : Math.min(size, stream.end())))) {
      const why = 'the file system cannot free the beginning of a file, so the recording is not packed';
      logger.warn({ session: stream.slug }, why);
      return;
    }
    const { timing } = stream.source();
    if (timing !== null) await packFile(timing, (await stat(timing)).size);
  };
}

function createDropper({ replays, drops, settings, clock, logger }: BoundsOptions, { rest, isDisposed }: WhileOpen) {
  /** Drops the oldest packed parts of a recording until the recording is no larger than `mostBytes`. */
  async function shrink(stream: RecordingStream, mostBytes: number, reason: DropReason): Promise<void> {
    while (!isDisposed()) {
      const before = await listParts(stream.file());
      if (before.parts.length === 0 || (await bytesOf(stream.file())) <= mostBytes) return;
      // Times count from the beginning of the recording, so everything that is dropped must have keyframes.
      await replays.grow(stream, rest);
      await dropOldestPart(stream.file());
      await replays.dropRows(stream);
      const { availableFrom } = await listParts(stream.file());
      const bytes = availableFrom - before.availableFrom;
      drops.add({ recording: nameOf(stream.file()), reason, bytes, whole: false }, clock.now());
      const facts = { session: stream.slug, availableFrom, reason };
      logger.info(facts, "the oldest part of the session's recording was dropped");
    }
  }

  async function remove({ name, files, session }: OldRecording, reason: DropReason): Promise<void> {
    const typescript = join(settings.stream_dir, `${name}.typescript`);
    const { size } = await stat(typescript);
    const { availableFrom } = await listParts(typescript);
    if (session !== null) await replays.forget(session);
    for (const file of files) await rm(file, { recursive: true, force: true });
    drops.add({ recording: name, reason, bytes: size - availableFrom, whole: true }, clock.now());
    logger.info({ recording: name, reason }, 'an old recording was removed');
  }

  return { shrink, remove };
}

/** Reports whether a recording is too small to be packed or shortened. Most recordings stay that small. */
async function isTidy(stream: RecordingStream, mostBytes: number): Promise<boolean> {
  const { timing } = stream.source();
  const files = timing === null ? [stream.file()] : [stream.file(), timing];
  // A file that has been removed must not prevent the others from being cleaned up.
  const sizes = await Promise.all(files.map(async (file) => (await statOf(file))?.size ?? 0));
  const allBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return Math.max(...sizes) < UNPACKED_END_BYTES + PART_BYTES && allBytes <= mostBytes;
}
