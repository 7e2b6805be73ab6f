import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Completion } from '../../protocol/index.ts';
import { openRegularFile } from './regular-file.ts';

/** More than a person reads through; the next letter makes them fewer. */
const MOST_ITEMS = 50;
/** Entries looked at in a session's folder: one with a million files must not hold the answer for seconds. */
const MOST_ENTRIES = 20_000;
/** Directories within each other. */
const MOST_LEVELS = 16;
/** Full of files that nobody names in a prompt. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules']);
/** Bytes of a command's file that are read for what it says of itself. */
const HEAD_BYTES = 4_096;

/**
 * What the word of a prompt may become: `/` a command of the session's folder, `@` a file or folder in it. Nothing
 * outside of that folder is
 * looked at, so no link is followed; a folder that may not be read, or is not there, has nothing.
 * @param root the session's folder
 * @param word as it was typed so far, with its sign
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

/** 0: it is none of them. Whose path begins so comes before whose name does, before who has it anywhere. */
function rankOf(path: string, wanted: string): number {
  const lower = path.toLowerCase();
  if (lower.startsWith(wanted)) return 3;
  if (lower.slice(lower.lastIndexOf('/') + 1).startsWith(wanted)) return 2;
  return Number(lower.includes(wanted));
}

/** `.claude/commands/NAME.md`, in folders of any depth, and `.claude/skills/NAME/SKILL.md` (2.0 to 2.1.330). */
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
  /** below the root, without a slash at its begin */
  path: string;
  entry: Dirent;
}

/**
 * What is in a folder, the shallow before the deep, within bounds. Links are not followed.
 * @param isWanted whether an entry is looked at: its name, and its path below the root
 */
async function* walk(root: string, isWanted: (name: string, path: string) => boolean): AsyncGenerator<Found> {
  let seen = 0;
  let level = [''];
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
    const next: string[] = [];
    for (const directory of level) {
      for (const entry of await entriesOf(join(root, directory), MOST_ENTRIES - seen)) {
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
 * A name that a prompt can hold: a control character in it would be taken out on the way, and the name would be another
 * one.
 */
function isWritable(name: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\ufffd]/.test(name);
}

async function entriesOf(directory: string, most: number): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  if (most <= 0) return entries;
  try {
    for await (const entry of await opendir(directory)) {
      entries.push(entry);
      if (entries.length >= most) break;
    }
  } catch (cause) {
    // Missing, forbidden, or no directory by now: nothing to offer.
    if (!(cause instanceof Error && 'code' in cause)) throw cause;
  }
  return entries;
}

/** The `description` at the top of a command's file, else its first line; null where it says nothing. */
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
