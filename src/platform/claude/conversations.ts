import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing } from '../files/ignore-missing.ts';
import { openRegularFile } from '../files/regular-file.ts';
import { folderOfTranscript } from './find-transcript.ts';
import { isStoredFor } from './own-files.ts';
import { parseRow } from './transcript-row.ts';

/** A conversation for which Claude Code has stored a transcript. */
export interface FoundConversation {
  sessionId: string;
  /** the directory in which the conversation took place */
  cwd: string;
  /** the first prompt of the conversation */
  title: string | null;
  /** when the conversation was last active, in Unix milliseconds */
  lastActivity: number;
}

/** How many bytes of a transcript are read to find its directory and first prompt, which are in the first lines. */
const HEAD_BYTES = 65_536;
/** How many bytes are read if the first prompt is long. It may be a whole file that someone pasted. */
const LONGEST_HEAD_BYTES = 16 * 1024 * 1024;
const TRANSCRIPT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/**
 * Returns the conversations of this machine's user, newest first, from `projects/*` in Claude Code's configuration
 * directory. Conversations that cannot be resumed are omitted: those that were never prompted, that are broken, or
 * whose folder is unknown.
 */
export async function listConversations(configDir: string, limit: number): Promise<FoundConversation[]> {
  const files = (await listTranscripts(join(configDir, 'projects'))).sort((one, other) => other.at - one.at);
  const found: FoundConversation[] = [];
  for (const file of files) {
    if (found.length >= limit) break;
    const conversation = await readConversation(file);
    if (conversation !== null) found.push(conversation);
  }
  return found;
}

/** Returns the conversation with the given id, or null if it does not exist or is empty. */
export async function findConversation(configDir: string, sessionId: string): Promise<FoundConversation | null> {
  const files = await listTranscripts(join(configDir, 'projects'));
  for (const file of files.filter((one) => one.sessionId === sessionId)) {
    const conversation = await readConversation(file);
    if (conversation !== null) return conversation;
  }
  return null;
}

interface Transcript {
  path: string;
  sessionId: string;
  /** when the conversation last changed, in Unix milliseconds */
  at: number;
}

async function readConversation({ path, sessionId, at }: Transcript): Promise<FoundConversation | null> {
  const head = await readHead(path);
  if (head === null) return null;
  // The session may have moved after its first prompt, and its transcript with it.
  const cwd = isStoredFor(path, head.cwd) ? head.cwd : await folderOfTranscript(path);
  return cwd === null ? null : { sessionId, lastActivity: at, ...head, cwd };
}

async function listTranscripts(dir: string): Promise<Transcript[]> {
  const found: Transcript[] = [];
  for (const project of await namesIn(dir)) {
    for (const name of await namesIn(join(dir, project))) {
      const sessionId = TRANSCRIPT.exec(name)?.[1];
      if (sessionId === undefined) continue;
      const path = join(dir, project, name);
      // The file may already be gone. A file that is not regular was not made by Claude Code, and reading a pipe would
      // never end.
      const stats = await stat(path).catch(() => null);
      if (stats?.isFile() === true) found.push({ path, sessionId, at: stats.mtimeMs });
    }
  }
  return found;
}

const namesIn = async (dir: string): Promise<string[]> => (await ignoreMissing(readdir(dir))) ?? [];

/**
 * Returns the facts from the first line that the user wrote, or null if there is no such line or if it cannot be read.
 */
async function readHead(path: string): Promise<Pick<FoundConversation, 'cwd' | 'title'> | null> {
  const file = await openRegularFile(path).catch(() => null);
  if (file === null) return null;
  try {
    for (let size = HEAD_BYTES; ; size *= 4) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
      const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n').map(parseRow);
      const first = lines.find((line) => line?.type === 'user' && line.isMeta !== true && line.isSidechain !== true);
      if (typeof first?.cwd === 'string') return { cwd: first.cwd, title: titleOf(first.message) };
      if (first != null || bytesRead < size || size >= LONGEST_HEAD_BYTES) return null;
    }
  } finally {
    await file.close();
  }
}

/** The maximum length of a title, so that it fits on one line of a list. */
const TITLE_CHARS = 200;

function titleOf(message: unknown): string | null {
  const content = (message as { content?: unknown } | null)?.content;
  const texts = Array.isArray(content) ? content.map((block: { text?: unknown } | null) => block?.text) : [content];
  const text: unknown = texts.find((one) => typeof one === 'string');
  return typeof text === 'string' ? text.slice(0, TITLE_CHARS) : null;
}
