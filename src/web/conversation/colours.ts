import { ownScript } from '../connection/own-script.ts';
import type { CodeToColour, Highlighted } from './highlight.ts';
import type { ColourAnswer, ColourRequest } from './highlight-worker.ts';
import workerAddress from './highlight-worker.ts?worker&url';

/** Characters of code whose colours are kept: a long conversation; their colours take some ten times as many bytes. */
const MAX_KEPT_CHARS = 400_000;

/** By what was asked, the oldest first. */
const kept = new Map<string, { lines: Highlighted | null; chars: number }>();
let keptChars = 0;

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, { resolve(lines: Highlighted | null): void; reject(error: Error): void }>();

/**
 * The colours of a code that was coloured before: null where its language is not known, undefined where nobody asked
 * yet.
 */
export function keptColours(code: CodeToColour): Highlighted | null | undefined {
  return kept.get(keyOf(code))?.lines;
}

/**
 * Colours code, beside the page. @throws Error when a part of the page that it takes cannot be loaded: it may be asked
 * again
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
  // Its script or a language did not come. A worker remembers an import that failed as the page does (late-part.ts),
  // but can be begun anew: whoever asks next starts another.
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
