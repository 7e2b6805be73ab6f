import { z } from 'zod';
import { TOGETHER_MS, type ToldTexts } from '../../core/delivery/seen.ts';
import { parseJson, readPromptRefusal } from '../../protocol/index.ts';
import { readTail } from '../files/read-tail.ts';

/**
 * How much of a transcript's end is searched. Queue operations are near the end, and at most the output of one turn
 * follows them.
 */
const TAIL_BYTES = 1_048_576;

const Operation = z.object({
  type: z.literal('queue-operation'),
  operation: z.string(),
  timestamp: z.iso.datetime(),
  /** absent if a turn takes the next text from the queue */
  content: z.string().optional(),
});

const Prompt = z.object({
  type: z.literal('user'),
  message: z.object({ content: z.string() }),
  timestamp: z.string().optional().catch(undefined),
});

/** A notice, for example about a prompt that a hook refused. */
const Notice = z.object({ type: z.literal('system'), content: z.string(), timestamp: z.iso.datetime() });

/**
 * Returns what the end of a transcript reports about prompts. `putBack` contains the prompts that Claude Code last
 * moved from its own queue into the prompt's box (`popAll`, caused by Up, Esc, or a no that ends the turn), except
 * those that were later queued again or taken by a turn. This was seen in 2.0.77 to 2.1.330. If a version does not
 * record these operations, `putBack` is empty. `refused` does not contain prompts that were typed during a turn: a
 * refusal of such a prompt is only on the screen (2.1.330).
 */
export async function readTexts(transcript: string): Promise<ToldTexts> {
  const putBack = new Map<string, number>();
  const repeated = new Map<string, number>();
  const taken = new Map<string, number>();
  const queued = new Map<string, number>();
  const refused = new Map<string, { at: number; words: string }>();
  const waiting: { text: string; at: number }[] = [];
  for (const line of (await readTail(transcript, TAIL_BYTES)).split('\n')) {
    const refusal = parseRefusal(line);
    if (refusal !== null) refused.set(refusal.prompt, refusal);
    if (!line.includes('"queue-operation"')) {
      const prompt = parsePrompt(line);
      if (prompt !== null) taken.set(prompt.text, prompt.at);
      continue;
    }
    // The line may be cut off.
    const operation = Operation.safeParse(parseJson(line)).data;
    if (operation === undefined) continue;
    if (operation.content === undefined) {
      waiting.shift();
      continue;
    }
    const text = operation.content.trim();
    const at = Date.parse(operation.timestamp);
    if (operation.operation === 'popAll') {
      const isAgain = at - (putBack.get(text) ?? 0) < TOGETHER_MS;
      if (isAgain) repeated.set(text, (repeated.get(text) ?? 1) + 1);
      else repeated.delete(text);
      putBack.set(text, at);
    } else putBack.delete(text);
    if (operation.operation !== 'enqueue') {
      const left = waiting.findIndex((one) => one.text === text);
      if (left >= 0) waiting.splice(left, 1);
      continue;
    }
    queued.set(text, at);
    waiting.push({ text, at });
    taken.delete(text);
  }
  return { putBack, repeated, taken, queued, refused, waiting: new Map(waiting.map(({ text, at }) => [text, at])) };
}

function parseRefusal(line: string): { prompt: string; at: number; words: string } | null {
  if (!line.includes('operation blocked by hook')) return null;
  const { data } = Notice.safeParse(parseJson(line));
  const refusal = data === undefined ? null : readPromptRefusal(data.content);
  if (data === undefined || refusal?.prompt == null) return null;
  return { prompt: refusal.prompt, words: refusal.words, at: Date.parse(data.timestamp) };
}

/** Reads a prompt. If the prompt has no time, its time is set to 0. */
function parsePrompt(line: string): { text: string; at: number } | null {
  if (!line.includes('"user"')) return null;
  const { data } = Prompt.safeParse(parseJson(line));
  return data === undefined ? null : { text: data.message.content.trim(), at: Date.parse(data.timestamp ?? '') || 0 };
}
