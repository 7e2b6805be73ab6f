import { open } from 'node:fs/promises';
import { z } from 'zod';

/** A queue's operations stand near the end of a transcript; between them and it lies what one turn wrote. */
const TAIL_BYTES = 1_048_576;

const Operation = z.object({
  type: z.literal('queue-operation'),
  operation: z.string(),
  timestamp: z.iso.datetime(),
  content: z.string(),
});

/**
 * The texts (trimmed) that Claude Code last took out of its own queue into the prompt's box (`popAll`: Up, Esc, a no that ends the turn), with
 * when, in Unix milliseconds. One that was queued again since, or taken by a turn, is left out. Seen in 2.0.77 to 2.1.329; a version that
 * writes nothing of the kind puts nothing back as far as this knows.
 */
export async function readPutBack(transcript: string): Promise<Map<string, number>> {
  const putBack = new Map<string, number>();
  for (const line of (await readTail(transcript)).split('\n')) {
    if (!line.includes('"queue-operation"')) continue;
    const operation = parseOperation(line);
    if (operation === null) continue;
    const text = operation.content.trim();
    if (operation.operation === 'popAll') putBack.set(text, Date.parse(operation.timestamp));
    else putBack.delete(text);
  }
  return putBack;
}

/** null for a line that is cut off, and for one that tells no text: that a turn takes the next in the queue. */
function parseOperation(line: string): z.infer<typeof Operation> | null {
  try {
    return Operation.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Empty where there is no such file yet. */
async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
