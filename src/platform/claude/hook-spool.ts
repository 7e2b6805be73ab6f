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

/** A hook that a session's Claude Code fired. */
export interface SpooledHook {
  /**
   * the launch that the hook belongs to (`CBOS_SESSION` in the session's environment), or null if the environment was
   * lost
   */
  launchId: string | null;
  /** the Claude Code process */
  pid: number;
  /** when it fired, in fractional Unix milliseconds, by the clock as it is now set */
  at: number;
  /** `hook_event_name` */
  event: string;
  /** Claude Code's conversation */
  sessionId: string | null;
  payload: Readonly<Record<string, unknown>>;
  /** the id of its wait for a reply (see `ReplyWaits`), or null if it does not wait */
  wait: string | null;
}

export interface HookSpoolOptions {
  /** created if missing, with mode 0700 */
  dir: string;
  /**
   * accepts a hook. Its file is then deleted, or kept as long as the hook waits. If a crash comes first, the hook is
   * delivered again
   */
  accept: (hook: SpooledHook) => void | Promise<void>;
  /**
   * called when a file has been moved to `rejected/`, because it is not a hook or because `accept` failed on it three
   * times
   */
  onRejected?: (file: string, reason: unknown) => void;
  /** called when the spool has been removed during the watch and created again; hooks that fired in between are lost */
  onRemade?: () => void;
  /** called when anyone has created, released, or removed a turn gate */
  onGateChanged?: () => void;
  /** called when anyone has written or removed the guard of calls */
  onGuardChanged?: () => void;
  /** called when reading the spool has failed; the watch continues */
  onError: (error: unknown) => void;
  /** Unix milliseconds */
  now: () => number;
  /** the machine's uptime in seconds; set by tests */
  uptimeS?: () => number;
  sweepMs?: number;
}

export interface HookSpool {
  /**
   * resolves once everything that was in the spool at the time of the call has been delivered, or a hook must wait to
   * be retried
   */
  drain(): Promise<void>;
  /** ends the watch; resolves once the current hook is done */
  dispose(): Promise<void>;
}

const Payload = z.looseObject({ hook_event_name: z.string(), session_id: z.string().nullable().catch(null) });

/**
 * The file name that the hook command uses: `NANOSECONDS.LAUNCH.PPID.PID.UPTIME.json`. The launch is empty if its
 * variable was not set. The uptime is missing in hooks from sessions that an older CBOS launched.
 */
const FILE_NAME = /^(\d{16,20})\.([A-Za-z0-9_-]*)\.(\d+)\.\d+(?:\.(\d+\.\d+)?)?\.json$/;

const UPTIME_TICK_S = 0.01;
/**
 * The largest difference between a hook's two clocks. The hook reads one after the other, 1 to 5 ms apart, or further
 * apart on a loaded machine.
 */
const MOST_APART_MS = 1_000;

const NANOSECONDS_PER_MICROSECOND = 1_000n;
const MICROSECONDS_PER_MILLISECOND = 1_000;

/**
 * How many times `accept` may fail on one file. A fault may be temporary, but one bad hook must not block all others
 * forever.
 */
const MAX_ATTEMPTS = 3;
/**
 * How long to wait before another attempt. This is long enough for a busy database, and short enough that no one
 * notices the delay in the status.
 */
const RETRY_MS = 250;
/** How many rejected files are kept. This is enough to see a pattern. More files would only fill the disk. */
const MAX_REJECTED = 100;
/** The largest payload. The longest ones that Claude Code sends (a tool's input and its result) are a few megabytes. */
const MOST_BYTES = 64_000_000;
/**
 * The age at which a draft is stale. A hook renames its draft within milliseconds, so an old draft belongs to a process
 * that was killed before it could rename it.
 */
const STALE_DRAFT_MS = 3_600_000;

/** The clocks at the moment of reading the spool. */
export interface SpoolLook {
  now: number;
  uptimeS: number;
}

/** Returns the facts in a file's name, or null if the file was not written by the hook command. */
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
 * Returns when a hook fired. The uptime gives its age, and the stamp gives the time more precisely. If the two
 * disagree, the clock has been set in between.
 */
function timeOf(stamp: number, uptimeS: number | null, look: SpoolLook): number {
  // After a reboot, only the stamp can be used.
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
 * Delivers the hooks in the spool, one at a time, in the order in which they fired. Hooks from the time when no server
 * was running come first. After that, each hook is delivered within milliseconds of its file's appearance.
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

  /** @returns false if later hooks must wait until this one is retried */
  const handOver = async (name: string, look: SpoolLook): Promise<boolean> => {
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
      // The home is also gone, or its disk is full. The next sweep tries again.
      onError(error);
    }
  };

  removeStaleDrafts(dir, options.now()).catch(onError);
  const stop = watchDirectory({
    dir,
    onChange: (name) => {
      // The names of drafts begin with a dot. Renaming a draft triggers a separate event.
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

/**
 * Sorts hooks in the order in which they fired. Hooks with the same time are sorted by name, which begins with the
 * stamp.
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
