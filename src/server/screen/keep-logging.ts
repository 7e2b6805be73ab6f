import { chmod } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  isLogging,
  pointLog,
  readTerminalSize,
  restartLog,
  type ScreenHost,
  type ScreenTarget,
} from '../../platform/gnu-screen/index.ts';
import { isAlive } from '../../platform/process/index.ts';
import { ensureRecordingDir, markOwn } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';

/** A session whose recording may be written by Screen. */
export interface Logged {
  readonly record: Pick<SessionRecord, 'adopted' | 'agent' | 'daemon' | 'recording' | 'window'>;
  readonly target: ScreenTarget;
}

/**
 * Ensures that Screen is still writing the recording of a session whose recording is a Screen log. Screen keeps writing
 * its log unless somebody turned the log off, or moved or deleted the file.
 * @returns true if Screen was not writing the log and had to be made to start
 * @throws CatalogueError screen_unresponsive, no_such_screen
 */
export async function keepLogging(screen: ScreenHost, session: Logged): Promise<boolean> {
  const { daemon, recording, adopted } = session.record;
  if (!adopted || daemon === null || recording === null || recording.timing !== null) return false;
  if (!(await isAlive(daemon))) return false;
  const { typescript } = recording;
  const isKept = await isLogging(daemon.pid, typescript);
  if (isKept) await pointRecording(screen, session);
  else {
    await ensureRecordingDir(dirname(typescript));
    await restartLog(screen, session.target, typescript);
  }
  // If a log file was deleted or moved away, Screen (4.9.0) creates a new one that other users can read.
  await chmod(typescript, 0o600);
  await markOwn(typescript);
  return !isKept;
}

/** If Screen writes the recording itself, this function tells Screen the file's current path. */
export async function pointRecording(screen: ScreenHost, { record }: Pick<Logged, 'record'>): Promise<void> {
  const { adopted, daemon, window, recording } = record;
  if (!adopted || daemon === null || recording === null || recording.timing !== null) return;
  await pointLog(screen, { pid: daemon.pid, window }, recording.typescript);
}

/** Returns the size of a session's terminal, which Screen's log does not contain; null if it cannot be read. */
export async function readSize(
  screen: ScreenHost,
  { record: { agent } }: Pick<Logged, 'record'>,
): Promise<{ cols: number; rows: number } | null> {
  return agent === null ? null : readTerminalSize(screen, agent.pid);
}
