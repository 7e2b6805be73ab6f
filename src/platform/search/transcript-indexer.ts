import { z } from 'zod';
import { textsOfMessage } from '../../core/search/index.ts';
import { CatalogueError, parseJson } from '../../protocol/index.ts';
import { readRange } from '../recorder/index.ts';
import type { SaidAt } from '../sqlite/search-entries.ts';
import type { SearchStore } from '../sqlite/search-store.ts';

/** How much is read at once, which amounts to a few ms of work. A search that is waiting runs before the next slice. */
const SLICE_BYTES = 262_144;
/** The maximum length of a line. A longer line is skipped, because it contains an image or a whole file. */
const LONGEST_LINE_BYTES = 8_000_000;
const LINE_FEED = 0x0a;

const Line = z.looseObject({ timestamp: z.string() });

/**
 * Indexes what has been added to one of Claude Code's transcripts since the last time.
 * @returns whether there is more to index
 */
export async function indexTranscript(store: SearchStore, scope: number, file: string): Promise<boolean> {
  const from = store.transcriptPosition(scope, file);
  const bytes = await readWholeLines(file, from);
  if (bytes.length === 0) return false;
  const said = bytes.toString('utf8').split('\n').flatMap(textsOfLine);
  store.together(() => {
    for (const text of said) store.addSaid(scope, text);
    store.saveTranscriptPosition(scope, file, from + bytes.length);
  });
  return true;
}

/** Returns the bytes from a position up to the end of a line, or no bytes as long as no line is complete. */
async function readWholeLines(file: string, from: number): Promise<Buffer> {
  for (let size = SLICE_BYTES; ; size *= 2) {
    const bytes = await readOrNothing(file, from, from + size);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    if (end > 0 || bytes.length < size) return bytes.subarray(0, end);
    if (size > LONGEST_LINE_BYTES) return bytes;
  }
}

async function readOrNothing(file: string, from: number, to: number): Promise<Buffer> {
  try {
    return await readRange(file, from, to);
  } catch (cause) {
    // Claude Code reports the path of the file before it writes the file.
    if (cause instanceof CatalogueError) return Buffer.alloc(0);
    throw cause;
  }
}

function textsOfLine(line: string): SaidAt[] {
  // The rest of a skipped line is not JSON.
  const record = Line.safeParse(parseJson(line));
  if (!record.success) return [];
  const at = Date.parse(record.data.timestamp);
  return Number.isNaN(at) ? [] : textsOfMessage(record.data).map((said) => ({ ...said, at, seq: null }));
}
