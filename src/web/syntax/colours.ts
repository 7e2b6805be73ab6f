import type { Tokens } from '../../text/syntax/tokens.ts';
import { ownScript } from '../connection/own-script.ts';
import type { CodeToColour, ColourAnswer, ColourRequest } from './colour-worker.ts';
import workerAddress from './colour-worker.ts?worker&url';

/** The tokens of each line or row; null for a row without colours. */
export type ColouredLines = readonly (Tokens | null)[];

/**
 * How many characters of coloured code are cached, which is enough for a long conversation. The tokens take up about as
 * many bytes as the code.
 */
const MAX_KEPT_CHARS = 400_000;

/** The cached tokens by request, oldest first. */
const kept = new Map<string, { lines: ColouredLines; chars: number }>();
let keptChars = 0;

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, { resolve(lines: ColouredLines): void; reject(error: Error): void }>();

/** Returns the tokens of code that has already been coloured, or undefined if they are not in the cache. */
export function keptColours(code: CodeToColour): ColouredLines | undefined {
  return kept.get(keyOf(code))?.lines;
}

/** Colours code in a worker. @throws Error if the worker cannot be loaded; the caller may try again */
export async function colour(code: CodeToColour): Promise<ColouredLines> {
  const lines = await new Promise<ColouredLines>((resolve, reject) => {
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
  started.addEventListener('message', ({ data }: MessageEvent<ColourAnswer>) => {
    waiting.get(data.id)?.resolve(data.lines);
    waiting.delete(data.id);
  });
  // The worker's script could not be loaded. The next request starts a new worker.
  started.addEventListener('error', () => {
    started.terminate();
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error('the colours could not be loaded'));
    waiting.clear();
  });
  return started;
}

function keep(code: CodeToColour, lines: ColouredLines): void {
  const key = keyOf(code);
  // A patch that is as large as the whole cache would only push everything else out of it.
  if (kept.has(key) || code.text.length > MAX_KEPT_CHARS / 2) return;
  kept.set(key, { lines, chars: code.text.length });
  keptChars += code.text.length;
  for (const [oldest, { chars }] of kept) {
    if (keptChars <= MAX_KEPT_CHARS) break;
    kept.delete(oldest);
    keptChars -= chars;
  }
}

function keyOf(code: CodeToColour): string {
  return `${code.of === 'code' ? code.language : 'patch '}\n${code.text}`;
}
