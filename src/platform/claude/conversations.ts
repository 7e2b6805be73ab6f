import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A conversation that Claude Code has written down. */
export interface FoundConversation {
  sessionId: string;
  /** the directory it was held in */
  cwd: string;
  /** its first prompt */
  title: string | null;
  /** Unix milliseconds */
  lastActivity: number;
}

/** So much of a transcript is read for its directory and first prompt; both stand in its first lines. */
const HEAD_BYTES = 65_536;
const TRANSCRIPT = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/**
 * The conversations of this machine's user, newest first: `projects/*` of Claude Code's configuration directory. Those that were
 * never prompted are left out: nothing could be resumed.
 */
export async function listConversations(configDir: string, limit: number): Promise<FoundConversation[]> {
  const files = (await listTranscripts(join(configDir, 'projects'))).sort((one, other) => other.at - one.at);
  const found: FoundConversation[] = [];
  for (const file of files) {
    if (found.length >= limit) break;
    const head = await readHead(file.path);
    if (head !== null) found.push({ sessionId: file.sessionId, lastActivity: file.at, ...head });
  }
  return found;
}

/** One of them; null where there is none, or nothing was ever said in it. */
export async function findConversation(configDir: string, sessionId: string): Promise<FoundConversation | null> {
  const files = await listTranscripts(join(configDir, 'projects'));
  const file = files.find((one) => one.sessionId === sessionId);
  const head = file === undefined ? null : await readHead(file.path);
  return file === undefined || head === null ? null : { sessionId, lastActivity: file.at, ...head };
}

async function listTranscripts(dir: string): Promise<{ path: string; sessionId: string; at: number }[]> {
  const found = [];
  for (const project of await namesIn(dir)) {
    for (const name of await namesIn(join(dir, project))) {
      const sessionId = TRANSCRIPT.exec(name)?.[1];
      if (sessionId === undefined) continue;
      const path = join(dir, project, name);
      const { mtimeMs } = await stat(path);
      found.push({ path, sessionId, at: mtimeMs });
    }
  }
  return found;
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

async function readHead(path: string): Promise<Pick<FoundConversation, 'cwd' | 'title'> | null> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const messages = buffer.subarray(0, bytesRead).toString('utf8').split('\n').map(parseLine);
    const first = messages.find((line) => line?.type === 'user' && line.isMeta !== true && line.isSidechain !== true);
    if (first === null || typeof first?.cwd !== 'string') return null;
    return { cwd: first.cwd, title: textOf(first.message) };
  } finally {
    await file.close();
  }
}

type Line = Readonly<Record<string, unknown>>;

/** null for a line that is cut off, or no object. */
function parseLine(line: string): Line | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Line) : null;
  } catch {
    return null;
  }
}

function textOf(message: unknown): string | null {
  const content = (message as { content?: unknown } | null)?.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const text: unknown = content
    .map((block: { text?: unknown } | null) => block?.text)
    .find((one) => typeof one === 'string');
  return typeof text === 'string' ? text : null;
}
