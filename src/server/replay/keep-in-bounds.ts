import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  dropOldestPart,
  finishPacking,
  listParts,
  PART_BYTES,
  packedUpTo,
  packPart,
  UNPACKED_END_BYTES,
} from '../../platform/recorder/index.ts';
import type { Settings } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { RecordingStream, Sessions } from '../sessions.ts';
import type { Replays } from './replays.ts';
import { watchGrowth } from './watch-growth.ts';

export interface BoundsOptions {
  sessions: Sessions;
  replays: Replays;
  settings: Pick<Settings, 'stream_dir' | 'max_recording_size' | 'max_total_size' | 'keep_days'>;
  clock: Clock;
  logger: Logger;
  /** after each part; {@link REST_MS} when left out */
  restMs?: number;
}

/** Packing a part takes 60 ms of another thread; with this rest it takes a fifth of a core at the most. */
const REST_MS = 250;
/** Old recordings are looked for so often: they are kept for days. */
const TIDY_MS = 3_600_000;
/** The server answers first. */
const FIRST_TIDY_MS = 10_000;
const DAY_MS = 86_400_000;
/** Everything that belongs to one recording: `SLUG.typescript`, `SLUG.3.parts`, and the mark of CBOS's own, `SLUG.cbos`. */
const OWN_NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63}(?:\.\d+)?)\.(typescript|timing|keyframes|parts|cbos)$/;

/** Keeps what recordings take of the disk within the settings. */
export interface Bounds {
  /** all of it, now: packs, drops, and removes what is over its time */
  tidy(): Promise<void>;
  dispose(): void;
}

interface OldRecording {
  name: string;
  files: string[];
  bytes: number;
  changedAt: number;
  session: RecordingStream | null;
}

export function keepInBounds(options: BoundsOptions): Bounds {
  const { sessions, replays, settings, clock, logger, restMs = REST_MS } = options;
  let work: Promise<void> = Promise.resolve();
  let isDisposed = false;

  const rest = () => new Promise<void>((resolve) => void clock.after(restMs, resolve));

  /** One thing at a time, so that packing never takes more than its share. */
  function queue(task: () => Promise<void>, what: string): Promise<void> {
    work = work.then(async () => {
      if (isDisposed) return;
      try {
        await task();
      } catch (error) {
        logger.warn({ err: error }, what);
      }
    });
    return work;
  }

  async function pack(stream: RecordingStream): Promise<void> {
    const { size } = await stat(stream.file());
    // What is not read yet is not packed: the reader of the live end looks into the file only.
    const end = Math.min(size, stream.end() === 0 ? size : stream.end()) - UNPACKED_END_BYTES;
    await finishPacking(stream.file());
    for (let from = packedUpTo(await listParts(stream.file())); from + PART_BYTES <= end; from += PART_BYTES) {
      if (isDisposed) return;
      if (!(await packPart(stream.file(), from))) {
        logger.warn({ session: stream.slug }, 'the file system cannot give back the beginning of a file: not packed');
        return;
      }
      await rest();
    }
  }

  /** Drops the oldest of a recording until it takes no more than this, as far as it is packed. */
  async function shrink(stream: RecordingStream, mostBytes: number): Promise<void> {
    while (!isDisposed) {
      const { parts } = await listParts(stream.file());
      if (parts.length === 0 || (await bytesOf(stream.file())) <= mostBytes) return;
      // Times are counted from the beginning; what is dropped must be in the keyframes.
      await replays.grow(stream, rest);
      await dropOldestPart(stream.file());
      const { availableFrom } = await listParts(stream.file());
      logger.info({ session: stream.slug, availableFrom }, 'the oldest part of its recording was dropped');
    }
  }

  async function bytesOf(typescript: string): Promise<number> {
    const base = typescript.replace(/\.typescript$/, '');
    const { parts } = await listParts(typescript);
    const files = [typescript, `${base}.timing`, `${base}.keyframes`, ...parts.map(({ file }) => file)];
    return (await Promise.all(files.map(allocated))).reduce((sum, bytes) => sum + bytes, 0);
  }

  async function tidyAll(): Promise<void> {
    for (const slug of sessions.streams()) {
      const stream = sessions.stream(slug);
      await pack(stream);
      await shrink(stream, settings.max_recording_size);
    }
    let all = await listRecordings();
    for (const old of all.filter(isOver)) await remove(old, 'it is older than keep_days');
    all = all.filter((one) => !isOver(one));
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const old of all
      .filter(({ session }) => session === null)
      .sort((one, other) => one.changedAt - other.changedAt)) {
      if (total <= settings.max_total_size) return;
      await remove(old, 'all recordings together take more than max_total_size');
      total -= old.bytes;
    }
    for (const { session, bytes } of all.sort((one, other) => other.bytes - one.bytes)) {
      if (total <= settings.max_total_size || session === null) continue;
      await shrink(session, Math.max(0, bytes - (total - settings.max_total_size)));
      total += (await bytesOf(session.file())) - bytes;
    }
    if (total > settings.max_total_size) logger.warn({ total }, 'recordings take more than max_total_size');
  }

  const isOver = ({ session, changedAt }: OldRecording): boolean =>
    session === null && changedAt < clock.now() - settings.keep_days * DAY_MS;

  async function listRecordings(): Promise<OldRecording[]> {
    const streams = new Map(sessions.streams().map((slug) => [sessions.stream(slug).file(), sessions.stream(slug)]));
    const groups = new Map<string, string[]>();
    for (const file of await readdir(settings.stream_dir)) {
      const name = OWN_NAME.exec(file)?.[1];
      if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), join(settings.stream_dir, file)]);
    }
    const found: OldRecording[] = [];
    for (const [name, files] of groups) {
      const typescript = join(settings.stream_dir, `${name}.typescript`);
      if (!files.includes(typescript)) continue;
      const session = streams.get(typescript) ?? null;
      // Not marked as ours: a user's own, which nothing here may touch.
      if (session === null && !files.includes(join(settings.stream_dir, `${name}.cbos`))) continue;
      const { mtimeMs } = await stat(typescript);
      const bytes = await bytesOf(typescript);
      found.push({ name, files, bytes, changedAt: mtimeMs, session });
    }
    return found;
  }

  async function remove({ name, files }: OldRecording, reason: string): Promise<void> {
    for (const file of files) await rm(file, { recursive: true, force: true });
    logger.info({ recording: name, reason }, 'an old recording was removed');
  }

  const growth = watchGrowth({
    sessions,
    everyBytes: PART_BYTES,
    onGrown: (stream) => {
      void queue(async () => {
        if (!growth.has(stream)) return;
        await pack(stream);
        await shrink(stream, settings.max_recording_size);
      }, 'a recording could not be packed');
    },
  });

  const tidy = () => queue(tidyAll, 'recordings could not be tidied up');
  let stopTimer = clock.after(FIRST_TIDY_MS, function again() {
    void tidy();
    stopTimer = clock.after(TIDY_MS, again);
  });

  return {
    tidy,
    dispose: () => {
      isDisposed = true;
      stopTimer();
      growth.dispose();
    },
  };
}

async function allocated(file: string): Promise<number> {
  return stat(file).then(
    ({ blocks }) => blocks * 512,
    () => 0,
  );
}
