import { open } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../../protocol/index.ts';
import { readTail } from '../files/read-tail.ts';

/** How much of a transcript's end is read first. If the last bookmark is not in it, more is read. */
const FIRST_BYTES = 262_144;
const GROWTH = 8;
/** The longest end that is read. What follows the last bookmark is at most the output of one turn. */
const MOST_BYTES = FIRST_BYTES * GROWTH ** 3;

/** The line in which Claude Code notes at which line the conversation ends. */
const Bookmark = z.object({ type: z.literal('last-prompt'), leafUuid: z.string() });

/** A line of the conversation, which is a tree of lines. */
const Line = z.object({
  uuid: z.string(),
  parentUuid: z.string().nullish(),
  isSidechain: z.boolean().nullish(),
});
type Line = z.infer<typeof Line>;

/**
 * Ensures that the next process that resumes a conversation continues it after its newest line. `--resume` continues at
 * the line that the last bookmark names if that line has no descendants. Claude Code writes a bookmark after each turn.
 * If it is killed before that, and the older bookmark names the note about a prompt that a hook refused, the note has
 * no descendants, and the newest turn would be left out (2.1.330 and 2.1.332). In this case, the bookmark that Claude
 * Code could not write is added to the transcript. Nothing that is in the transcript changes.
 * @param transcript the path of the transcript, to which no process writes
 * @returns whether a bookmark was added
 * @throws if the transcript cannot be read or written
 */
export async function keepNewestTurn(transcript: string): Promise<boolean> {
  const end = await readEnd(transcript);
  if (end === null) return false;
  const { bookmark, leaf, lines, isCut } = end;
  const newest = lines.findLast(({ isSidechain }) => isSidechain !== true);
  if (newest === undefined || lines.some(({ parentUuid }) => parentUuid === leaf)) return false;
  const added = `${JSON.stringify({ ...bookmark, leafUuid: newest.uuid })}\n`;
  await append(transcript, isCut ? `\n${added}` : added);
  return true;
}

/** The last bookmark, and the lines of the conversation that follow it. */
interface End {
  bookmark: object;
  /** the line that the bookmark names */
  leaf: string;
  lines: Line[];
  /** whether the process was killed while it wrote the last line */
  isCut: boolean;
}

async function readEnd(transcript: string): Promise<End | null> {
  for (let bytes = FIRST_BYTES; bytes <= MOST_BYTES; bytes *= GROWTH) {
    const text = await readTail(transcript, bytes);
    const rows = text.split('\n').map(parseJson);
    const at = rows.findLastIndex((row) => Bookmark.safeParse(row).success);
    if (at >= 0) {
      const lines = rows.slice(at + 1).flatMap((row) => Line.safeParse(row).data ?? []);
      const { leafUuid: leaf } = Bookmark.parse(rows[at]);
      return { bookmark: rows[at] as object, leaf, lines, isCut: !text.endsWith('\n') };
    }
    if (Buffer.byteLength(text) < bytes) return null;
  }
  return null;
}

/** Appends text to a file as a whole or, for example on a full disk, not at all. */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    const { size } = await file.stat();
    try {
      await file.appendFile(text);
    } catch (cause) {
      await file.truncate(size);
      throw cause;
    }
  } finally {
    await file.close();
  }
}
