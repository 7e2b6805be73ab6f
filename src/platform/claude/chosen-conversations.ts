import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openRegularFile, readRegularFile } from '../files/regular-file.ts';
import { dashedFolder, isConversationId, isStoredFor, MOST_FOLDER_CHARS } from './own-files.ts';
import { parseRow, type Row } from './transcript-row.ts';

/** Where Claude Code is started with arguments that choose a conversation. */
export interface ChoosingLaunch {
  configDir: string;
  /** the folder in which Claude Code starts, with symbolic links resolved */
  cwd: string;
}

/** Returns the conversation that `claude --continue` continues, or null if the folder has none (2.1.330). */
export async function findNewestConversation({ configDir, cwd }: ChoosingLaunch): Promise<string | null> {
  const found = await transcriptsIn(configDir, (directory) =>
    isStoredFor(join(directory, 'any'), cwd) ? cwd : undefined,
  );
  for (const { path, folder } of found.toSorted((one, other) => other.at - one.at)) {
    const ends = await readEnds(path);
    const isPrompted = ends !== null && `${ends.begin}${ends.end}`.includes('"parentUuid":');
    if (isPrompted && isOffered(ends) && isOf(folder, ends, [])) return basename(path, '.jsonl');
  }
  return null;
}

export interface NamedConversation extends ChoosingLaunch {
  /** all worktrees that git lists for this folder; none outside a repository */
  worktrees: readonly string[];
  /** the name or title, in any case and with any spaces around it */
  name: string;
}

/**
 * Returns the conversations that `claude --resume NAME` finds (2.1.330): those in the folder and in all worktrees of
 * its repository that have this name or, if they have no name, this title. If there is exactly one, Claude Code
 * continues it; otherwise it shows its list.
 */
export async function findNamedConversations(wanted: NamedConversation): Promise<string[]> {
  const { configDir, cwd, worktrees } = wanted;
  const name = normalize(wanted.name);
  if (name === '') return [];
  const hasOthers = worktrees.length > 1;
  const found = new Set<string>();
  const folderOf = hasOthers ? inWorktrees(cwd, worktrees) : inOneFolder(cwd, worktrees);
  for (const { path, folder } of await transcriptsIn(configDir, folderOf)) {
    const ends = await readEnds(path);
    if (ends === null || !isOffered(ends) || !isOf(folder, ends, hasOthers ? [cwd, ...worktrees] : [])) continue;
    if (normalize((await titleOf(path, ends)) ?? '') === name) found.add(basename(path, '.jsonl'));
  }
  return [...found];
}

const normalize = (name: string): string => name.toLowerCase().trim();

interface Transcript {
  path: string;
  /** the folder for which Claude Code reads the transcript; null if it does not compare it */
  folder: string | null;
  /** when the transcript last changed, in Unix milliseconds */
  at: number;
}

/** Returns the transcripts in some of the directories of `projects`. */
async function transcriptsIn(configDir: string, folderOf: FolderOf): Promise<Transcript[]> {
  const projects = join(configDir, 'projects');
  const found: Transcript[] = [];
  for (const name of await namesIn(projects)) {
    const folder = folderOf(name);
    if (folder === undefined) continue;
    for (const file of await namesIn(join(projects, name))) {
      if (!file.endsWith('.jsonl') || !isConversationId(basename(file, '.jsonl'))) continue;
      const path = join(projects, name, file);
      const stats = await stat(path).catch(() => null);
      if (stats !== null) found.push({ path, folder, at: stats.mtimeMs });
    }
  }
  return found;
}

/** Returns the folder for which a directory of transcripts is read; undefined if it is not read. */
type FolderOf = (directory: string) => string | null | undefined;

/** Claude Code takes every directory whose name begins with that of a worktree, and so those of the folders inside. */
function inWorktrees(cwd: string, worktrees: readonly string[]): FolderOf {
  const longestFirst = worktrees.toSorted((one, other) => other.length - one.length);
  return (directory) => {
    if (longestFirst.every((path) => !isInside(cwd, path)) && isStoredFor(join(directory, 'any'), cwd)) return cwd;
    return longestFirst.find((path) => {
      const isShort = dashedFolder(path).length < MOST_FOLDER_CHARS;
      return isStoredFor(join(directory, 'any'), path) || (isShort && directory.startsWith(`${dashedFolder(path)}-`));
    });
  };
}

/** Without other worktrees, Claude Code takes the folder itself, and the worktrees that it has made and removed. */
function inOneFolder(cwd: string, worktrees: readonly string[]): FolderOf {
  const root = worktrees.find((path) => isInside(cwd, path)) ?? cwd;
  return (directory) => {
    if (isStoredFor(join(directory, 'any'), cwd)) return cwd;
    return directory.startsWith(`${dashedFolder(root)}--claude-worktrees-`) ? null : undefined;
  };
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/**
 * Reports whether a transcript belongs to the folder for which it is read, and not to another one whose directory has
 * the same name. @param others further folders to which it may belong
 */
function isOf(folder: string | null, { begin, tail }: Ends, others: readonly string[]): boolean {
  const recorded = tail.findLast((row) => row.type === 'relocated')?.relocatedCwd ?? valueIn(begin, 'cwd');
  if (folder === null || typeof recorded !== 'string' || recorded === folder) return true;
  return others.some((one) => isInside(recorded, one)) || dashedFolder(recorded) !== dashedFolder(folder);
}

/**
 * Reports whether Claude Code offers a conversation for continuing. It passes over those of `claude --print`, which
 * include those of JSON sessions, of subagents, of teams and of `/loop` (2.1.330).
 */
function isOffered({ begin, head }: Ends): boolean {
  if (begin.includes('"isSidechain":true') || valueIn(begin, 'teamName') !== undefined) return false;
  if (PRINTS.has(valueIn(begin, 'entrypoint') ?? '')) return false;
  const first = head.find((row) => row.type === 'user' && row.isMeta !== true && row.isCompactSummary !== true);
  return !JSON.stringify(first?.message ?? null).includes('<command-name>/loop</command-name>');
}

/** How the transcripts of `claude --print` name what has started Claude Code. */
const PRINTS: ReadonlySet<string> = new Set(['sdk-cli', 'sdk-ts', 'sdk-py']);

/** Returns the first value of a key. The row that contains it may be cut off, if a long text was pasted. */
function valueIn(begin: string, key: string): string | undefined {
  const quoted = new RegExp(`"${key}":("(?:[^"\\\\]|\\\\.)*")`).exec(begin)?.[1];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}

/** Returns the name that the user gave a conversation or, if there is none, the title that the model gave it. */
async function titleOf(path: string, { head, tail }: Ends): Promise<string | null> {
  const last = (rows: readonly Row[], type: string, key: string): string | undefined => {
    const value = rows.findLast((row) => row.type === type && typeof row[key] === 'string')?.[key];
    return typeof value === 'string' ? value : undefined;
  };
  const given =
    last(tail, 'custom-title', 'customTitle') ??
    (await keptName(path)) ??
    last(head, 'custom-title', 'customTitle') ??
    last(tail, 'ai-title', 'aiTitle') ??
    last(head, 'ai-title', 'aiTitle');
  return given ?? null;
}

/** Claude Code also stores the name given by `/rename` in a file of its own, because a long turn follows it. */
async function keptName(path: string): Promise<string | undefined> {
  const file = join(path.slice(0, -'.jsonl'.length), 'custom-title.json');
  const text = await readRegularFile(file, { mostBytes: END_BYTES }).catch(() => null);
  const name = text === null ? undefined : parseRow(text)?.customTitle;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

interface Ends {
  begin: string;
  end: string;
  /** the rows of `begin` and of `end` */
  head: readonly Row[];
  tail: readonly Row[];
}

/** How much Claude Code reads of each end of a transcript to find its title. */
const END_BYTES = 65_536;

/** Returns the rows at both ends of a transcript, or null if it cannot be read. */
async function readEnds(path: string): Promise<Ends | null> {
  const file = await openRegularFile(path).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    const read = async (position: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
      return buffer.toString('utf8', 0, bytesRead);
    };
    const begin = await read(0);
    const end = size <= END_BYTES ? begin : await read(size - END_BYTES);
    return { begin, end, head: rowsOf(begin), tail: rowsOf(end) };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .map(parseRow)
    .filter((row) => row !== null);

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}
