import { Emitter } from '../../emitter/emitter.ts';
import { freeBytes, writeFault } from '../../platform/files/write-fault.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** How often to check free disk space. One `statfs` takes 20 µs, and no file system reports changes. */
const LOOK_MS = 3_000;
/**
 * With less free space than this, a recording may hit a full disk at any moment. A test write then determines whether
 * recording still works.
 */
const LITTLE_ROOM_BYTES = 4_000_000;

export interface DiskWatchOptions {
  /** directory of the recordings */
  dir: string;
  clock: Clock;
  log: Logger;
}

/** Knows whether recordings can be written. */
export interface DiskWatch {
  /** an error code such as ENOSPC; null if recordings can be written, as far as is known */
  fault(): string | null;
  /** Checks now with a test write, because somebody has noticed a failure. */
  prove(): Promise<string | null>;
  /** Called after each check while there is a fault, and once after the fault ends. */
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
    // A missing directory is also a fault.
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
