import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { openRegularFile } from '../files/regular-file.ts';
import { configDirectoryOf, isConversationId, isStoredFor } from './own-files.ts';
import { parseRow } from './transcript-row.ts';

/** A conversation whose transcript is wanted. */
export interface WantedConversation {
  sessionId: string;
  /** Claude Code's configuration directories; see `configDirectory` */
  configDirs: readonly string[];
  /** the path of the transcript as Claude Code last reported it, or null if it has not reported one */
  reported: string | null;
}

/**
 * Finds the transcript of a conversation that contains messages. The file is where Claude Code has reported it, or else
 * in any folder of a configuration directory, because Claude Code moves the file when the session moves to another
 * folder (2.1.330: `EnterWorktree`, `/cd`), and shortens the names of long folders in a way of its own.
 * @returns null if there is no such file; the newest one if there are several, as after a fork by an older version
 */
export async function findTranscript({ sessionId, configDirs, reported }: WantedConversation): Promise<string | null> {
  if (!isConversationId(sessionId)) return null;
  if (reported?.endsWith(`/${sessionId}.jsonl`) === true && (await hasMessages(reported))) return reported;
  const places = new Set([...(reported === null ? [] : [configDirectoryOf(reported)]), ...configDirs]);
  const found = (await Promise.all([...places].map((dir) => transcriptsIn(dir, sessionId)))).flat();
  for (const { path } of found.toSorted((one, other) => other.at - one.at)) if (await hasMessages(path)) return path;
  return null;
}

async function transcriptsIn(configDir: string, sessionId: string): Promise<{ path: string; at: number }[]> {
  const projects = join(configDir, 'projects');
  const names = await readdir(projects).catch(nothingThere);
  const found = await Promise.all(
    names.map(async (name) => {
      const path = join(projects, name, `${sessionId}.jsonl`);
      const stats = await stat(path).catch(nothingThere);
      return Array.isArray(stats) ? [] : [{ path, at: stats.mtimeMs }];
    }),
  );
  return found.flat();
}

function nothingThere(error: NodeJS.ErrnoException): never[] {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(error.code ?? '')) return [];
  throw error;
}

/** Matches a line that belongs to the conversation itself. Other lines store the mode, the title, and the like. */
const MESSAGE_LINE = /"type":\s*"(?:user|assistant)"/;

async function hasMessages(path: string): Promise<boolean> {
  for await (const line of linesOf(path)) if (MESSAGE_LINE.test(line)) return true;
  return false;
}

/**
 * Reports whether nothing has been asked in a conversation yet. After `/clear`, the new transcript contains only that
 * command and a note about it (2.1.330); other commands that answer without the model add lines of the same kinds.
 */
export async function isUnused(transcript: string): Promise<boolean> {
  for await (const line of linesOf(transcript)) {
    if (!MESSAGE_LINE.test(line)) continue;
    const row = parseRow(line);
    const { content } = (row?.message ?? {}) as { content?: unknown };
    if (row?.type !== 'user' || typeof content !== 'string' || !COMMAND_LINE.test(content)) return false;
  }
  return true;
}

/** Matches what Claude Code writes about a command that a person has run. */
const COMMAND_LINE = /^<(?:command|local-command)-/;

const PARENT = /"parentUuid":\s*(?:null|"([\w-]+)")/;

/**
 * Reports whether a transcript contains the beginning of its conversation. If the file is deleted while Claude Code
 * runs, Claude Code writes the next turn into a new file, and the first line there names a parent that the file does
 * not contain (2.1.330).
 */
export async function hasBeginning(transcript: string): Promise<boolean> {
  let parent: string | undefined;
  for await (const line of linesOf(transcript)) {
    if (parent !== undefined) {
      if (line.includes(`"uuid":"${parent}"`)) return true;
      continue;
    }
    const first = PARENT.exec(line);
    if (first === null) continue;
    if (first[1] === undefined) return true;
    parent = first[1];
  }
  return parent === undefined;
}

const CWD = /"cwd":\s*("(?:[^"\\]|\\.)*")/;

/**
 * Returns the folder to which a transcript belongs: the one in which versions that look for conversations only in their
 * own folder can continue it. Null if the transcript does not name the folder.
 */
export async function folderOfTranscript(transcript: string): Promise<string | null> {
  for await (const line of linesOf(transcript)) {
    const quoted = CWD.exec(line)?.[1];
    const cwd: unknown = quoted === undefined ? null : JSON.parse(quoted);
    if (typeof cwd === 'string' && isStoredFor(transcript, cwd)) return cwd;
  }
  return null;
}

/** The line in which Claude Code notes that the session has entered a worktree, or that it has left one. */
const WorktreeLine = z.object({
  type: z.literal('worktree-state'),
  worktreeSession: z
    .object({ originalCwd: z.string(), worktreePath: z.string(), worktreeBranch: z.string().nullish() })
    .nullable(),
});

/** A worktree to which a conversation returns when it is resumed. */
export interface EnteredWorktree {
  path: string;
  /** the folder in which the session worked before */
  from: string;
  /** null if a hook of the user has made the worktree */
  branch: string | null;
}

/** Returns the worktree in which a conversation has last worked; null outside a worktree (2.1.330). */
export async function enteredWorktree(transcript: string): Promise<EnteredWorktree | null> {
  let last: EnteredWorktree | null = null;
  for await (const line of linesOf(transcript)) {
    if (!line.includes('"worktree-state"')) continue;
    const found = WorktreeLine.safeParse(parseRow(line));
    if (!found.success) continue;
    const { worktreeSession: entered } = found.data;
    if (entered === null) last = null;
    else last = { path: entered.worktreePath, from: entered.originalCwd, branch: entered.worktreeBranch ?? null };
  }
  return last;
}

/** Yields the lines of a file; none if it is missing or is not a regular file. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await openRegularFile(path).catch(nothingThere);
  if (file === null || Array.isArray(file)) return;
  const stream = file.createReadStream({ encoding: 'utf8' });
  try {
    yield* createInterface({ input: stream });
  } finally {
    stream.destroy();
  }
}
