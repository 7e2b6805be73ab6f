import { z } from 'zod';
import { openRegularFile } from '../files/regular-file.ts';

/** A queue's operations stand near the end of a transcript; between them and it lies what one turn wrote. */
const TAIL_BYTES = 1_048_576;

const Operation = z.object({
  type: z.literal('queue-operation'),
  operation: z.string(),
  timestamp: z.iso.datetime(),
  content: z.string(),
});

/** What a transcript tells of texts (trimmed) that went into Claude Code's own queue. */
export interface ToldQueue {
  /** what it put back into the prompt, with when, in Unix milliseconds */
  putBack: ReadonlyMap<string, number>;
  /** what a turn took as a prompt, and was not queued again since */
  taken: ReadonlySet<string>;
  /** what went into the queue, whatever became of it */
  queued: ReadonlySet<string>;
}

export const NOTHING_TOLD: ToldQueue = { putBack: new Map(), taken: new Set(), queued: new Set() };

const Prompt = z.object({ type: z.literal('user'), message: z.object({ content: z.string() }) });

/**
 * The texts that Claude Code last took out of its own queue into the prompt's box (`popAll`: Up, Esc, a no that ends the turn), with
 * when, in Unix milliseconds. One that was queued again since, or taken by a turn, is left out. Seen in 2.0.77 to 2.1.329; a version that
 * writes nothing of the kind puts nothing back as far as this knows.
 */
export async function readQueue(transcript: string): Promise<ToldQueue> {
  const putBack = new Map<string, number>();
  const taken = new Set<string>();
  const queued = new Set<string>();
  for (const line of (await readTail(transcript)).split('\n')) {
    if (!line.includes('"queue-operation"')) {
      const prompt = parsePrompt(line);
      if (prompt !== null) taken.add(prompt);
      continue;
    }
    const operation = parseOperation(line);
    if (operation === null) continue;
    const text = operation.content.trim();
    if (operation.operation === 'popAll') putBack.set(text, Date.parse(operation.timestamp));
    else putBack.delete(text);
    if (operation.operation !== 'enqueue') continue;
    queued.add(text);
    taken.delete(text);
  }
  return { putBack, taken, queued };
}

const Told = z.looseObject({ timestamp: z.iso.datetime() });

/** The texts (trimmed) that a conversation has taken since a time, as prompts or into its queue: they arrived, whatever hooks tell. */
export async function readTakenSince(transcript: string, since: number): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (const line of (await readTail(transcript)).split('\n')) {
    const operation = line.includes('"enqueue"') ? parseOperation(line) : null;
    const text = operation?.operation === 'enqueue' ? operation.content.trim() : parsePrompt(line);
    if (text === null) continue;
    const told = Told.safeParse(JSON.parse(line)).data;
    if (told !== undefined && Date.parse(told.timestamp) >= since) taken.add(text);
  }
  return taken;
}

function parsePrompt(line: string): string | null {
  if (!line.includes('"user"')) return null;
  try {
    return Prompt.safeParse(JSON.parse(line)).data?.message.content.trim() ?? null;
  } catch {
    return null;
  }
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
  const file = await openRegularFile(path).catch((error: NodeJS.ErrnoException) => {
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
