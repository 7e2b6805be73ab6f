import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { RegistryEvidence } from '../../core/status/evidence.ts';
import { parseJson } from '../../protocol/index.ts';
import { readRegularFileNow } from '../files/regular-file.ts';
import { watchDirectory } from '../files/watch-directory.ts';
import { isAlive } from '../process/index.ts';
import { configDirectoryOfProcess } from './launch-mark.ts';
import { configDirectory } from './own-files.ts';
import { isAtLeast, parseClaudeVersion } from './version.ts';

/**
 * The record that Claude Code keeps about itself in `sessions/PID.json` in its configuration directory, since 2.1.150.
 * The format is undocumented, so every field except the pid may be missing or may change its form. A field that CBOS
 * does not understand becomes null and never causes an error.
 */
const Record = z.looseObject({
  pid: z.int().positive(),
  procStart: z.union([z.string(), z.number()]).transform(String).nullable().catch(null),
  sessionId: z.string().nullable().catch(null),
  cwd: z.string().nullable().catch(null),
  version: z.string().nullable().catch(null),
  kind: z.string().nullable().catch(null),
  status: z.enum(['idle', 'busy', 'waiting', 'shell']).nullable().catch(null),
  waitingFor: z.string().nullable().catch(null),
  statusUpdatedAt: z.number().nullable().catch(null),
});

export type RegistryRecord = z.infer<typeof Record>;

/** Reports whether this version, such as `2.1.330`, keeps a record in the registry. Assumes so if it is unknown. */
export function hasRegistry(version: string | null): boolean {
  const numbers = version === null ? null : parseClaudeVersion(version);
  return numbers === null || isAtLeast(numbers, '2.1.150');
}

export function registryDirectory(env: Parameters<typeof configDirectory>[0]): string {
  return registryIn(configDirectory(env));
}

/** Returns the directory of the registry in a configuration directory. */
export const registryIn = (configDir: string): string => join(configDir, 'sessions');

/**
 * Returns the registries in which a process may have its record: that of the account that a wrapper has chosen for it,
 * and the user's own.
 */
export function registriesOf(pid: number, ownDir: string): string[] {
  const chosen = configDirectoryOfProcess(pid);
  return chosen === null ? [ownDir] : [registryIn(chosen), ownDir];
}

/** @returns null if the text is not a record, or is only half of one */
export function parseRegistryRecord(text: string): RegistryRecord | null {
  return Record.safeParse(parseJson(text)).data ?? null;
}

/**
 * Returns the part of a record that concerns the status. A time in the future was recorded before the clock was set
 * back.
 */
export function registryEvidence(record: RegistryRecord, readAt: number): RegistryEvidence {
  const { status, waitingFor, sessionId } = record;
  const statusUpdatedAt = record.statusUpdatedAt === null ? null : Math.min(record.statusUpdatedAt, readAt);
  return { status, waitingFor, statusUpdatedAt, sessionId, readAt };
}

/**
 * Reports whether the process that a record belongs to is still alive. Records remain after a SIGKILL, and pids are
 * reused, so only the start time reveals whether it is the same process.
 */
async function isLive(record: RegistryRecord): Promise<boolean> {
  return record.procStart !== null && (await isAlive({ pid: record.pid, startTime: record.procStart }));
}

/** Reports whether there is no record. A file may stand where Claude Code would create the directory. */
const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

/** The maximum size of a record. Normal records take a few hundred bytes. */
const MOST_BYTES = 1_000_000;

const RECORD_FILE = /^(\d+)\.json$/;

async function readRecord(file: string): Promise<{ text: string; record: RegistryRecord } | null> {
  let text: string | null;
  try {
    text = readRegularFileNow(file, { mostBytes: MOST_BYTES });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const record = text === null ? null : parseRegistryRecord(text);
  return text === null || record === null || !(await isLive(record)) ? null : { text, record };
}

async function listRecordFiles(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir)).filter((name) => RECORD_FILE.test(name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Returns the records of all processes that are alive. */
export async function readRegistry(dir: string): Promise<RegistryRecord[]> {
  const found = await Promise.all((await listRecordFiles(dir)).map((name) => readRecord(join(dir, name))));
  return found.flatMap((one) => (one === null ? [] : [one.record]));
}

/** Returns the record of one process; null if it has none, or is not alive. */
export async function readRegistryOf(dir: string, pid: number): Promise<RegistryRecord | null> {
  return (await readRecord(join(dir, `${pid}.json`)))?.record ?? null;
}

export interface RegistryWatchOptions {
  /** the directory of the registry, see `registryDirectory`; it need not exist yet */
  dir: string;
  /** called with the record of a live process if the record is new or differs from the last one for that pid */
  onRecord: (record: RegistryRecord) => void;
  /** called when the record for a pid has been removed, or when its process has died */
  onGone?: (pid: number) => void;
  /** called when reading the directory has failed; the watch continues nevertheless */
  onError: (error: unknown) => void;
  sweepMs?: number;
}

export interface RegistryWatch {
  /** resolves once all records that existed when the watch began have been reported */
  ready: Promise<void>;
  /** ends the watch */
  stop(): void;
}

/** Reports every change in the registry, 10 to 140 ms after it happens. Existing records are reported first. */
export function watchRegistry(options: RegistryWatchOptions): RegistryWatch {
  const { dir, onRecord, onGone, onError } = options;
  const last = new Map<string, { pid: number; text: string }>();
  const reading = new Set<string>();
  const again = new Set<string>();
  let ready: Promise<void> | null = null;
  let isDisposed = false;

  const look = async (name: string): Promise<void> => {
    const found = await readRecord(join(dir, name));
    if (isDisposed) return;
    const before = last.get(name);
    if (found === null) {
      // If only half of the file has been written, the next event delivers the complete file. If the file is gone or
      // its process is dead, `before` contains the pid.
      if (before === undefined || (await isStillThere(join(dir, name), before))) return;
      last.delete(name);
      onGone?.(before.pid);
    } else if (found.text !== before?.text) {
      last.set(name, { pid: found.record.pid, text: found.text });
      onRecord(found.record);
    }
  };
  /** Lets only one read of a file run at a time, so that an older state is never reported after a newer one. */
  const schedule = async (name: string): Promise<void> => {
    if (reading.has(name)) {
      again.add(name);
      return;
    }
    reading.add(name);
    await look(name).catch(onError);
    reading.delete(name);
    if (again.delete(name) && !isDisposed) await schedule(name);
  };
  const lookAtAll = async (): Promise<void> => {
    await Promise.all([...new Set([...(await listRecordFiles(dir)), ...last.keys()])].map(schedule));
  };
  const stop = watchDirectory({
    dir,
    onChange: (name) => {
      if (name === null) {
        const all = lookAtAll().catch(onError);
        ready ??= all;
      } else if (RECORD_FILE.test(name)) void schedule(name);
    },
    ...(options.sweepMs === undefined ? {} : { sweepMs: options.sweepMs }),
  });
  return {
    ready: ready ?? Promise.resolve(),
    stop: () => {
      isDisposed = true;
      stop();
    },
  };
}

/**
 * Reports whether a file without a valid record belongs to a live process, which means that only half of the file has
 * been written.
 */
async function isStillThere(file: string, before: { text: string }): Promise<boolean> {
  const record = parseRegistryRecord(before.text);
  if (record === null || !(await isLive(record))) return false;
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
