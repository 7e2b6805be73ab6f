import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { listParts } from '../../platform/recorder/index.ts';
import type { RecordingStream, Sessions } from '../sessions.ts';

/**
 * Matches everything that belongs to one recording: `SLUG.typescript`, `SLUG.3.parts`, `SLUG.timing.parts`, and
 * CBOS's own mark, `SLUG.cbos`.
 */
const OWN_NAME = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63}(?:\.\d+)?)\.(typescript|timing|keyframes|parts|timing\.parts|cbos)$/;
/** The unit in which `stat` counts the disk space of a file. */
const BLOCK_BYTES = 512;

export interface OldRecording {
  name: string;
  files: string[];
  /** the disk space that the recording uses */
  bytes: number;
  /** when the recording was last written; for a listed session, when the session was last active */
  changedAt: number;
  /**
   * the stream of the session that owns the recording; null for an older recording, and for one that belongs to no
   * listed session
   */
  session: RecordingStream | null;
  /** whether the session has ended, so that the recording will not grow any more */
  isEnded: boolean;
}

/** Returns all recordings in a directory that are CBOS's own. */
export async function listRecordings(
  sessions: Pick<Sessions, 'get' | 'stream' | 'streams'>,
  dir: string,
): Promise<OldRecording[]> {
  const streams = new Map(sessions.streams().map((slug) => [sessions.stream(slug).file(), sessions.stream(slug)]));
  const groups = new Map<string, string[]>();
  for (const file of await readdir(dir)) {
    const name = OWN_NAME.exec(file)?.[1];
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), join(dir, file)]);
  }
  const found: OldRecording[] = [];
  for (const [name, files] of groups) {
    const typescript = join(dir, `${name}.typescript`);
    if (!files.includes(typescript)) continue;
    const session = streams.get(typescript) ?? null;
    // A file without CBOS's mark belongs to the user and must not be touched.
    if (session === null && !files.includes(join(dir, `${name}.cbos`))) continue;
    const bytes = await bytesOf(typescript);
    const listed = session === null ? null : sessions.get(session.slug);
    // Packing changes a file's modification time, so the session's last activity is used if it is known.
    const told = listed?.last_activity ?? null;
    const changedAt = told === null ? (await stat(typescript)).mtimeMs : Date.parse(told);
    found.push({ name, files, bytes, changedAt, session, isEnded: listed === null || listed.state === 'dead' });
  }
  return found;
}

/** Returns the disk space that a recording uses. */
export async function bytesOf(typescript: string): Promise<number> {
  const base = typescript.replace(/\.typescript$/, '');
  const timing = `${base}.timing`;
  const parts = [...(await listParts(typescript)).parts, ...(await listParts(timing)).parts];
  const files = [typescript, timing, `${base}.keyframes`, ...parts.map(({ file }) => file)];
  const blocks = await Promise.all(files.map(async (file) => (await statOf(file))?.blocks ?? 0));
  return blocks.reduce((sum, count) => sum + count, 0) * BLOCK_BYTES;
}

/** Returns null if the file has been removed. */
export const statOf = (file: string): Promise<Stats | null> => stat(file).catch(() => null);

/** Returns the name of a recording: `SLUG`, or `SLUG.N` for an older one. */
export const nameOf = (typescript: string): string => basename(typescript, '.typescript');
