import { chmodSync, mkdirSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readRegularFile } from '../files/regular-file.ts';
import { watchDirectory } from '../files/watch-directory.ts';
import { isCallGuard } from './call-guard.ts';
import { keepWait, splitPayload } from './reply-waits.ts';
import { makeSpool } from './spool-directory.ts';
import { isGate } from './turn-gate.ts';

/** A hook that Claude Code fired in a session. */
export interface SpooledHook {
  /**
   * the launch that the hook belongs to (`CBOS_SESSION` in the session's environment), or null if the environment was
   * lost
   */
  launchId: string | null;
  /** the pid of the Claude Code process */
  pid: number;
  /** when the hook fired, in fractional Unix milliseconds, by the clock as it is set now */
  at: number;
  /** the name of the hook event (`hook_event_name`) */
  event: string;
  /** the id of the Claude Code conversation */
  sessionId: string | null;
  payload: Readonly<Record<string, unknown>>;
  /** the id under which the hook waits for a reply (see `ReplyWaits`), or null if it does not wait */
  wait: string | null;
}

export interface HookSpoolOptions {
  /** the directory of the spool, which is created with mode 0700 if it is missing */
  dir: string;
  /**
   * accepts a hook; afterwards, the hook's file is deleted, or kept as long as the hook waits. If the server crashes
   * before that, the hook is delivered again
   */
  accept: (hook: SpooledHook) => void | Promise<void>;
  /**
   * called when a file has been moved to `rejected/`, either because it is not a hook or because `accept` failed on it
   * three times
   */
  onRejected?: (file: string, reason: unknown) => void;
  /** called when the spool was removed and created again during the watch; hooks that fired in between are lost */
  onRemade?: () => void;
  /** called when anyone has created, released, or removed a turn gate */
  onGateChanged?: () => void;
  /** called when anyone has written or removed the guard of calls */
  onGuardChanged?: () => void;
  /** called when reading the spool has failed; the watch continues nevertheless */
  onError: (error: unknown) => void;
  /** returns the current time, in Unix milliseconds */
  now: () => number;
  /** the machine's uptime in seconds; tests can set it */
  uptimeS?: () => number;
  sweepMs?: number;
}

export interface HookSpool {
  /**
   * resolves once everything that was in the spool at the time of the call has been delivered, or once a hook must be
   * retried later
   */
  drain(): Promise<void>;
  /** ends the watch, and resolves once the current hook has been handled */
  dispose(): Promise<void>;
}

const Payload = z.looseObject({ hook_event_name: z.string(), session_id: z.string().nullable().catch(null) });

/**
 * Matches the file name that the hook command uses: `NANOSECONDS.LAUNCH.PPID.PID.UPTIME.json`. LAUNCH is empty if its
 * variable was not set. UPTIME is missing in hooks from sessions that an older version of CBOS launched.
 */
const FILE_NAME = /^(\d{16,20})\.([A-Za-z0-9_-]*)\.(\d+)\.\d+(?:\.(\d+\.\d+)?)?\.json$/;

const UPTIME_TICK_S = 0.01;
/**
 * The maximum difference between a hook's two clocks. The hook reads them one after the other, 1 to 5 ms apart, or
 * further apart on a loaded machine.
 */
const MOST_APART_MS = 1_000;

const NANOSECONDS_PER_MICROSECOND = 1_000n;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/**
 * How many times `accept` may fail on a file. A fault may be temporary, but one bad hook must not block all the others
 * forever.
 */
const MAX_ATTEMPTS = 3;
/**
 * How long to wait before the next attempt. This is long enough for a busy database to recover, and short enough that
 * no one notices the delay in the status.
 */
const RETRY_MS = 250;
/** How many rejected files are kept. That many are enough to see a pattern, and more would only fill the disk. */
const MAX_REJECTED = 100;
/**
 * The maximum size of a payload. The largest payloads that Claude Code sends (a tool's input and its result) are a few
 * megabytes.
 */
const MOST_BYTES = 64_000_000;
/**
 * The age at which a draft counts as stale. A hook renames its draft within milliseconds, so an old draft was left by a
 * process that was killed before it could do that.
 */
const STALE_DRAFT_MS = 3_600_000;

/** The readings of the clocks at the moment when the spool is read. */
export interface SpoolLook {
  now: number;
  uptimeS: number;
}

/** Returns the facts in a file's name, or null if the hook command did not write the file. */
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
 * Returns when a hook fired. The uptime gives the hook's age, and the time stamp gives the time more precisely. If the
 * two disagree, the clock was set in between.
 */
function timeOf(stamp: number, uptimeS: number | null, look: SpoolLook): number {
  // After a reboot, only the time stamp is usable.
  if (uptimeS === null || uptimeS > look.uptimeS + UPTIME_TICK_S) return stamp;
  const at = look.now - (look.uptimeS - uptimeS) * 1_000;
  return Math.abs(at - stamp) < MOST_APART_MS ? stamp : at;
}

/** @throws Error if the file does not contain a hook */
function parseHook(name: string, text: string, look: SpoolLook): SpooledHook {
  const origin = parseHookFileName(name, look);
  if (origin === null) throw new Error('not the name of a hook');
  const { waiting, payload: told } = splitPayload(text);
  const payload = Payload.parse(told);
  const wait = waiting === null ? null : name.slice(0, -'.json'.length);
  return { ...origin, event: payload.hook_event_name, sessionId: payload.session_id, payload, wait };
}

/**
 * Delivers the hooks in the spool one at a time, in the order in which they fired. Hooks that fired while no server was
 * running come first. After that, each hook is delivered within milliseconds of its file's appearance.
 */
export function watchHookSpool(options: HookSpoolOptions): HookSpool {
  const { dir, onError, uptimeS = uptime } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const handOver = createHandOver(options);
  let isDisposed = false;
  let running: Promise<void> | null = null;
  let isMore = false;
  let retry: NodeJS.Timeout | undefined;

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
      // In this case, the home is missing too, or its disk is full. The next sweep tries again.
      onError(error);
    }
  };

  removeStaleDrafts(dir, options.now()).catch(onError);
  const stop = watchDirectory({
    dir,
    onChange: (name) => {
      // The name of a draft begins with a dot. Renaming the draft triggers an event of its own.
      if (name === null || name.endsWith('.json')) void drain();
      if (name === null || isGate(name)) options.onGateChanged?.();
      if (name === null || isCallGuard(name)) options.onGuardChanged?.();
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

/** Returns what hands one file over. It resolves with false if later hooks must wait for a retry of this one. */
function createHandOver(options: HookSpoolOptions): (name: string, look: SpoolLook) => Promise<boolean> {
  const { dir, accept, onError, onRejected } = options;
  const attempts = new Map<string, number>();

  const reject = async (name: string, reason: unknown): Promise<void> => {
    attempts.delete(name);
    await moveToRejected(dir, name);
    onRejected?.(name, reason);
  };

  return async (name, look) => {
    const file = join(dir, name);
    let hook: SpooledHook;
    try {
      const text = await readRegularFile(file, { mostBytes: MOST_BYTES, followsLinks: false });
      if (text === null) throw new Error(`not a regular file, or longer than ${MOST_BYTES} bytes`);
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
}

/**
 * Sorts hooks in the order in which they fired. Hooks that fired at the same time are sorted by name, which begins with
 * the time stamp.
 */
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
    if (!name.startsWith('.') || isCallGuard(name)) continue;
    const found = await lstat(join(dir, name)).catch(() => null);
    if (found !== null && now - found.mtimeMs > STALE_DRAFT_MS) await rm(join(dir, name), { force: true });
  }
}
