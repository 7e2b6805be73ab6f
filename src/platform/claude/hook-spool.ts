import { chmodSync, mkdirSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../files/regular-file.ts';
import { watchDirectory } from '../files/watch-directory.ts';
import { keepWait, splitPayload } from './reply-waits.ts';
import { makeSpool } from './spool-directory.ts';
import { isGate } from './turn-gate.ts';

/** A hook that a session's Claude Code fired. */
export interface SpooledHook {
  /** which launch it belongs to (`CBOS_SESSION` in the session's environment); null if the environment was lost */
  launchId: string | null;
  /** Claude Code's process */
  pid: number;
  /** when it fired, in Unix milliseconds with a fraction, by the clock as it is set now */
  at: number;
  /** `hook_event_name` */
  event: string;
  /** Claude Code's conversation */
  sessionId: string | null;
  payload: Readonly<Record<string, unknown>>;
  /** identifies its wait for a reply, see `ReplyWaits`; null if it does not wait */
  wait: string | null;
}

export interface HookSpoolOptions {
  /** created if missing, with mode 0700 */
  dir: string;
  /**
   * takes a hook. Its file is deleted after that, or kept while the hook waits, so after a crash in between the hook
   * comes again
   */
  accept: (hook: SpooledHook) => void | Promise<void>;
  /** a file was moved to `rejected/`, because it is no hook, or because `accept` refused it three times */
  onRejected?: (file: string, reason: unknown) => void;
  /** the spool was removed during the watch, and is created anew: hooks that fired in between are lost */
  onRemade?: () => void;
  /** a turn gate was set up, released or removed, by anyone */
  onGateChanged?: () => void;
  /** a fault in reading the spool, which does not end the watch */
  onError: (error: unknown) => void;
  /** Unix milliseconds */
  now: () => number;
  /** the machine's uptime in seconds; for tests */
  uptimeS?: () => number;
  sweepMs?: number;
}

export interface HookSpool {
  /**
   * resolves once everything that was in the spool at the time of the call was handed over, or a hook must wait for its
   * next attempt
   */
  drain(): Promise<void>;
  /** ends the watch; resolves once the current hook is done */
  dispose(): Promise<void>;
}

const Payload = z.looseObject({ hook_event_name: z.string(), session_id: z.string().nullable().catch(null) });

/**
 * `NANOSECONDS.LAUNCH.PPID.PID.UPTIME.json`, as the hook command names it. The launch is empty if its variable was not
 * set. The uptime is missing in hooks of sessions that an older CBOS launched.
 */
const FILE_NAME = /^(\d{16,20})\.([A-Za-z0-9_-]*)\.(\d+)\.\d+(?:\.(\d+\.\d+)?)?\.json$/;

const UPTIME_TICK_S = 0.01;
/**
 * How far a hook's two clocks may be apart. It reads one after the other, 1 to 5 ms apart; a loaded machine takes
 * longer.
 */
const MOST_APART_MS = 1_000;

const NANOSECONDS_PER_MICROSECOND = 1_000n;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/**
 * How often `accept` may fail on one file. A fault may be temporary, but one bad hook must not block all others
 * forever.
 */
const MAX_ATTEMPTS = 3;
/**
 * How long to wait before another attempt: long enough for a busy database, short enough that nobody notices a late
 * status.
 */
const RETRY_MS = 250;
/** How many rejected files are kept: enough to see a pattern, and more would only fill the disk. */
const MAX_REJECTED = 100;
/**
 * How long a payload may be. The longest that Claude Code sends (a tool's input and its answer) have a few megabytes.
 */
const MOST_BYTES = 64_000_000;
/**
 * When a draft is stale. A hook renames its draft within milliseconds; one this old belongs to a process that was
 * killed in between.
 */
const STALE_DRAFT_MS = 3_600_000;

/** The clocks at the moment when the spool is read. */
export interface SpoolLook {
  now: number;
  uptimeS: number;
}

/** The facts in a file's name; null if no hook command wrote it. */
export function parseHookFileName(name: string, look: SpoolLook): Pick<SpooledHook, 'launchId' | 'pid' | 'at'> | null {
  const match = FILE_NAME.exec(name);
  if (match === null) return null;
  const [, nanoseconds, launch, pid, uptimeS] = match;
  const stamp = Number(BigInt(nanoseconds ?? '0') / NANOSECONDS_PER_MICROSECOND) / MICROSECONDS_PER_MILLISECOND;
  return {
    launchId: launch === undefined || launch === '' ? null : launch,
    pid: Number(pid),
    at: Math.min(look.now, timeOf(stamp, uptimeS === undefined ? null : Number(uptimeS), look)),
  };
}

/**
 * When a hook fired. The uptime gives its age, and the stamp gives the time more precisely. If they differ, the clock
 * was set in between.
 */
function timeOf(stamp: number, uptimeS: number | null, look: SpoolLook): number {
  // After a reboot, only the stamp is usable.
  if (uptimeS === null || uptimeS > look.uptimeS + UPTIME_TICK_S) return stamp;
  const at = look.now - (look.uptimeS - uptimeS) * 1_000;
  return Math.abs(at - stamp) < MOST_APART_MS ? stamp : at;
}

/** @throws Error if the file contains no hook */
function parseHook(name: string, text: string, look: SpoolLook): SpooledHook {
  const origin = parseHookFileName(name, look);
  if (origin === null) throw new Error('not the name of a hook');
  const { waiting, payload: told } = splitPayload(text);
  const payload = Payload.parse(told);
  const wait = waiting === null ? null : name.slice(0, -'.json'.length);
  return { ...origin, event: payload.hook_event_name, sessionId: payload.session_id, payload, wait };
}

/**
 * Hands over the hooks in the spool, one at a time, in the order in which they fired. Those from the time when no
 * server ran come first; then each comes within milliseconds of its file's appearance.
 */
export function watchHookSpool(options: HookSpoolOptions): HookSpool {
  const { dir, accept, onError, uptimeS = uptime } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const attempts = new Map<string, number>();
  let isDisposed = false;
  let running: Promise<void> | null = null;
  let isMore = false;
  let retry: NodeJS.Timeout | undefined;

  const reject = async (name: string, reason: unknown): Promise<void> => {
    attempts.delete(name);
    await moveToRejected(dir, name);
    options.onRejected?.(name, reason);
  };

  /** @returns false if later hooks must wait until this one is tried again */
  const handOver = async (name: string, look: SpoolLook): Promise<boolean> => {
    const file = join(dir, name);
    let hook: SpooledHook;
    try {
      const text = await readRegularFile(file, { mostBytes: MOST_BYTES, followsLinks: false });
      if (text === null) throw new Error(`no regular file, or longer than ${MOST_BYTES} bytes`);
      hook = parseHook(name, text, look);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      await reject(name, error);
      return true;
    }
    try {
      await accept(hook);
    } catch (error) {
      const count = (attempts.get(name) ?? 0) + 1;
      attempts.set(name, count);
      onError(error);
      if (count < MAX_ATTEMPTS) return false;
      await reject(name, error);
      return true;
    }
    attempts.delete(name);
    await (hook.wait === null ? unlink(file) : keepWait(dir, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return true;
  };

  const handOverAll = async (): Promise<void> => {
    const names = (await readdir(dir)).filter((name) => name.endsWith('.json') && !name.startsWith('.'));
    const look = { now: options.now(), uptimeS: uptimeS() };
    for (const name of inOrder(names, look)) {
      if (isDisposed) return;
      if (await handOver(name, look)) continue;
      retry = setTimeout(() => void drain(), RETRY_MS);
      return;
    }
  };

  const drain = (): Promise<void> => {
    clearTimeout(retry);
    isMore = true;
    running ??= (async () => {
      try {
        while (isMore && !isDisposed) {
          isMore = false;
          await handOverAll();
        }
      } catch (error) {
        onError(error);
      } finally {
        running = null;
      }
    })();
    return running;
  };

  const remake = (): void => {
    try {
      makeSpool(dir);
    } catch (error) {
      // The home is gone too, or full: the next sweep tries again.
      onError(error);
    }
  };

  removeStaleDrafts(dir, options.now()).catch(onError);
  const stop = watchDirectory({
    dir,
    onChange: (name) => {
      // Drafts begin with a dot; their rename triggers an event of its own.
      if (name === null || name.endsWith('.json')) void drain();
      if (name === null || isGate(name)) options.onGateChanged?.();
    },
    onMissing: remake,
    onReplaced: () => options.onRemade?.(),
    ...(options.sweepMs === undefined ? {} : { sweepMs: options.sweepMs }),
  });
  return {
    drain,
    dispose: async () => {
      isDisposed = true;
      clearTimeout(retry);
      stop();
      await running;
    },
  };
}

/** In the order in which they fired; hooks of the same time by name, which begins with the stamp. */
function inOrder(names: readonly string[], look: SpoolLook): string[] {
  const times = new Map(names.map((name) => [name, parseHookFileName(name, look)?.at ?? 0]));
  return names.toSorted().sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
}

async function moveToRejected(dir: string, name: string): Promise<void> {
  const rejected = join(dir, 'rejected');
  await mkdir(rejected, { recursive: true, mode: 0o700 });
  await rename(join(dir, name), join(rejected, name));
  const names = (await readdir(rejected)).sort();
  for (const old of names.slice(0, Math.max(0, names.length - MAX_REJECTED)))
    await rm(join(rejected, old), { force: true });
}

async function removeStaleDrafts(dir: string, now: number): Promise<void> {
  for (const name of await readdir(dir)) {
    if (!name.startsWith('.')) continue;
    const found = await lstat(join(dir, name)).catch(() => null);
    if (found !== null && now - found.mtimeMs > STALE_DRAFT_MS) await rm(join(dir, name), { force: true });
  }
}
