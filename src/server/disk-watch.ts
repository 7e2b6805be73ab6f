import { Emitter } from '../emitter/emitter.ts';
import { freeBytes, writeFault } from '../platform/files/write-fault.ts';
import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';
import type { Dispose } from './sessions.ts';

/** How often to check the free disk space. No file system reports changes, and one `statfs` call takes only 20 µs. */
const LOOK_MS = 3_000;
/**
 * If less space than this is free, the disk may be full at any moment. From then on, a test write determines whether
 * recordings can still be written.
 */
const LITTLE_ROOM_BYTES = 4_000_000;

export interface DiskWatchOptions {
  /** the directory that contains the recordings */
  dir: string;
  clock: Clock;
  log: Logger;
}

/** Keeps track of whether recordings can be written. */
export interface DiskWatch {
  /** returns an error code such as ENOSPC; null if recordings can be written, as far as CBOS knows */
  fault(): string | null;
  /** Checks immediately with a test write. Call this when a write seems to have failed. */
  prove(): Promise<string | null>;
  /** The listener is called after each check while there is a fault, and once more when the fault has ended. */
  onLook(listener: (fault: string | null) => void): Dispose;
  start(): void;
  dispose(): void;
}

export function createDiskWatch({ dir, clock, log }: DiskWatchOptions): DiskWatch {
  const looks = new Emitter<[fault: string | null]>();
  let fault: string | null = null;
  let stopTimer: Dispose | null = null;
  let proving: Promise<string | null> | null = null;
  let isDisposed = false;

  async function proveOnce(): Promise<string | null> {
    const before = fault;
    fault = await writeFault(dir);
    if (isDisposed) return fault;
    if (fault !== before) {
      if (fault === null) log.info({ dir }, 'recordings can be written again');
      else
        log.error({ dir, code: fault }, 'recordings cannot be written: the output of sessions is lost until they can');
    }
    if (fault !== null || before !== null) looks.tell(fault);
    return fault;
  }
  function prove(): Promise<string | null> {
    proving ??= proveOnce().finally(() => {
      proving = null;
    });
    return proving;
  }
  async function look(): Promise<void> {
    // A missing directory is a fault as well.
    const free = await freeBytes(dir).catch(() => 0);
    if (fault !== null || free < LITTLE_ROOM_BYTES) await prove();
  }

  function again(): void {
    stopTimer = clock.after(LOOK_MS, () => void look().finally(() => isDisposed || again()));
  }

  return {
    fault: () => fault,
    prove,
    onLook: looks.on,
    start: again,
    dispose: () => {
      isDisposed = true;
      stopTimer?.();
    },
  };
}
