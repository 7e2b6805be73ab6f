import { z } from 'zod';
import type { Place } from './recorded-rows.ts';
import { dropParts, listParts, readDropNote } from './recording-parts.ts';

const Note = z.object({ at: z.number(), offset: z.int(), timing: z.int(), cols: z.int(), rows: z.int() });

/**
 * Drops the packed rows of a timing file that come before a certain place in the recording, because no one needs them
 * any more. The time of that place is stored, because without these rows nothing else would show it.
 */
export async function dropRowsBefore(timing: string, { at, offset, timing: row, cols, rows }: Place): Promise<void> {
  const { parts } = await listParts(timing);
  const last = parts.findLast(({ to }) => to <= row);
  if (last !== undefined) await dropParts(timing, last.to, JSON.stringify({ at, offset, timing: row, cols, rows }));
}

/** Returns the place where the remaining rows of a timing file begin, or null if no rows have been dropped. */
export async function keptRowsFrom(timing: string | null): Promise<Place | null> {
  const note = timing === null ? null : await readDropNote(timing);
  return note === null ? null : Note.parse(JSON.parse(note));
}
