import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import type { Completion } from '../../protocol/index.ts';
import { readEntries } from './read-entries.ts';
import { openRegularFile } from './regular-file.ts';

/**
 * The maximum number of completions to offer. No one reads through more, and typing another letter shortens the list.
 */
const MOST_ITEMS = 50;
/**
 * How many entries of a session's folder are read. A folder with a million files must not delay the answer by seconds.
 */
const MOST_ENTRIES = 20_000;
/** How many levels of nested directories are read. */
const MOST_LEVELS = 16;
/** Directories full of files that no one would mention in a prompt. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** How many bytes of a command's file are read to find the command's description. */
const HEAD_BYTES = 4_096;

/**
 * Returns the completions of a word in a prompt: commands from the session's folder for `/`, and files or folders in it
 * for `@`. Nothing outside that folder is read, so symbolic links are not followed. If the folder is unreadable or
 * missing, there are no completions.
 * @param root the session's folder
 * @param word the word that was typed so far, including its `/` or `@`
 */
export async function completePrompt(root: string, word: string): Promise<Completion[]> {
  if (word.startsWith('/')) return commandsIn(root, word.slice(1));
  return word.startsWith('@') ? filesIn(root, word.slice(1)) : [];
}

async function filesIn(root: string, typed: string): Promise<Completion[]> {
  const found: { path: string; rank: number }[] = [];
  const wanted = typed.toLowerCase();
  const wantsHidden = /(^|\/)\./.test(typed);
  for await (const { path, entry } of walk(root, (name) => wantsHidden || !name.startsWith('.'))) {
    const rank = rankOf(path, wanted);
    if (rank > 0) found.push({ path: entry.isDirectory() ? `${path}/` : path, rank });
  }
  return found
    .sort(
      (one, other) => other.rank - one.rank || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
    )
    .slice(0, MOST_ITEMS)
    .map(({ path }) => ({ text: `@${path}`, about: null }));
}

/**
 * Returns how well a path matches, or 0 if it does not match. A match at the beginning of the path ranks highest, then
 * a match at the beginning of the name, then a match anywhere else.
 */
function rankOf(path: string, wanted: string): number {
  const lower = path.toLowerCase();
  if (lower.startsWith(wanted)) return 3;
  if (lower.slice(lower.lastIndexOf('/') + 1).startsWith(wanted)) return 2;
  return Number(lower.includes(wanted));
}

/** Matches `.claude/commands/NAME.md`, in folders of any depth, and `.claude/skills/NAME/SKILL.md` (2.0 to 2.1.330). */
async function commandsIn(root: string, typed: string): Promise<Completion[]> {
  const files = new Map<string, string>();
  const isOnTheWay = (_: string, path: string): boolean => /^\.claude($|\/(commands|skills)($|\/))/.test(path);
  for await (const { path, entry } of walk(root, isOnTheWay)) {
    if (!entry.isFile()) continue;
    const command = /^\.claude\/commands\/(?:.*\/)?([^/]+)\.md$/.exec(path)?.[1];
    const skill = /^\.claude\/skills\/([^/]+)\/SKILL\.md$/.exec(path)?.[1];
    const name = command ?? skill;
    if (name?.startsWith(typed) === true && !/\s/.test(name)) files.set(name, path);
  }
  const names = [...files.keys()].sort().slice(0, MOST_ITEMS);
  return Promise.all(
    names.map(async (name) => ({ text: `/${name}`, about: await describe(join(root, files.get(name) ?? '')) })),
  );
}

interface Found {
  /** the path relative to the root, without a leading slash */
  path: string;
  entry: Dirent;
}

/**
 * Lists the contents of a folder up to the limits above, with entries near the top before deeper ones. Symbolic links
 * are not followed.
 * @param isWanted whether to include an entry, given its name and its path relative to the root
 */
async function* walk(root: string, isWanted: (name: string, path: string) => boolean): AsyncGenerator<Found> {
  let seen = 0;
  let level = [''];
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await readEntries(join(root, directory), MOST_ENTRIES - seen)) {
        seen++;
        const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
        if (LEFT_OUT.has(entry.name) || !isWanted(entry.name, path) || !isWritable(entry.name)) continue;
        if (!entry.isFile() && !entry.isDirectory()) continue;
        if (entry.isDirectory()) next.push(path);
        yield { path, entry };
      }
      if (seen >= MOST_ENTRIES) return;
    }
    level = next;
  }
}

/**
 * Reports whether a prompt can contain this name. A control character would be removed before the prompt arrives, which
 * would change the name.
 */
function isWritable(name: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\ufffd]/.test(name);
}

/**
 * Returns the `description` at the top of a command's file or, if there is none, the first line of the file. Returns
 * null if there is neither.
 */
async function describe(path: string): Promise<string | null> {
  const file = await openRegularFile(path, { followsLinks: false }).catch(() => null);
  if (file === null) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead).toString('utf8');
    const told = /^---\n[\s\S]*?^description:[ \t]*(.+)$[\s\S]*?^---/m.exec(head)?.[1];
    const first = head.startsWith('---') ? null : head.split('\n').find((line) => line.trim() !== '');
    return (told ?? first)?.trim() ?? null;
  } finally {
    await file.close();
  }
}
