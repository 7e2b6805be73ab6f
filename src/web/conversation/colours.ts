import { ownScript } from '../connection/own-script.ts';
import type { CodeToColour, Highlighted } from './highlight.ts';
import type { ColourAnswer, ColourRequest } from './highlight-worker.ts';
import workerAddress from './highlight-worker.ts?worker&url';

/**
 * How many characters of highlighted code are cached, which is enough for a long conversation. The colours take up
 * about ten times as many bytes.
 */
const MAX_KEPT_CHARS = 400_000;

/** The cached colours by request, oldest first. */
const kept = new Map<string, { lines: Highlighted | null; chars: number }>();
let keptChars = 0;

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, { resolve(lines: Highlighted | null): void; reject(error: Error): void }>();

/**
 * Returns the colours of code that has already been highlighted. The result is null if the code's language is unknown,
 * and undefined if the colours have not been requested yet.
 */
export function keptColours(code: CodeToColour): Highlighted | null | undefined {
  return kept.get(keyOf(code))?.lines;
}

/**
 * Highlights code in a worker. @throws Error if a required part of the page cannot be loaded; the caller may try again
 */
export async function colour(code: CodeToColour): Promise<Highlighted | null> {
  const lines = await new Promise<Highlighted | null>((resolve, reject) => {
    worker ??= startWorker();
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ ...code, id } satisfies ColourRequest);
  });
  keep(code, lines);
  return lines;
}

function startWorker(): Worker {
  const started = new Worker(ownScript(workerAddress), { type: 'module' });
  // The worker's script or a language could not be loaded. Like the page (see late-part.ts), a worker remembers failed
  // imports. Unlike the page, it can be replaced, so the next request starts a new worker.
  const giveUp = (problem: string): void => {
    started.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error(problem));
    waiting.clear();
  };
  started.addEventListener('message', ({ data }: MessageEvent<ColourAnswer>) => {
    if ('problem' in data) {
      giveUp(data.problem);
      return;
    }
    waiting.get(data.id)?.resolve(data.lines);
    waiting.delete(data.id);
  });
  started.addEventListener('error', () => giveUp('the colours could not be loaded'));
  return started;
}

function keep(code: CodeToColour, lines: Highlighted | null): void {
  const key = keyOf(code);
  if (kept.has(key)) return;
  kept.set(key, { lines, chars: code.text.length });
  keptChars += code.text.length;
  for (const [oldest, { chars }] of kept) {
    if (keptChars <= MAX_KEPT_CHARS) break;
    kept.delete(oldest);
    keptChars -= chars;
  }
}

function keyOf({ text, language, theme }: CodeToColour): string {
  return `${theme} ${language}\n${text}`;
}
