import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSearchThread, type Search } from '../src/platform/search/search-thread.ts';
import type { Figure } from './figures.mjs';

export const about =
  'ten recordings of 100 MB, drawn as Claude Code draws (answers that grow line by line over a redrawn prompt, a spinner), indexed and searched';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RECORDINGS = 10;
const BYTES = 100_000_000;
const WORDS = 30_000;
const IDEOGRAPHS = 2_500;
const RULE = '─'.repeat(160);
/** How often each query is run, including the first time, when nothing is in memory. */
const ROUNDS = 20;

export async function measure(): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'cbos-bench-'));
  const file = join(directory, 'search.db');
  const program = join(ROOT, 'dist', 'parts', 'search-worker.js');
  const search = openSearchThread({
    program,
    file,
    elapsed: () => performance.now(),
    onFault: (message) => process.stderr.write(message),
  });
  try {
    const ids = Array.from({ length: RECORDINGS }, (_, index) => `session-${index}`);
    for (const [index, id] of ids.entries()) await writeRecording(join(directory, id), index);
    const before = process.memoryUsage().rss;
    const startedAt = performance.now();
    for (const id of ids) {
      search.follow(id, { typescript: join(directory, `${id}.typescript`), timing: join(directory, `${id}.timing`) });
    }
    const busy: number[] = [];
    let peak = before;
    for (let isSeen = false; ; ) {
      const askedAt = performance.now();
      const { pendingBytes } = await search.search({ query: word(40), session: null, kind: null, limit: 20 });
      busy.push(performance.now() - askedAt);
      peak = Math.max(peak, process.memoryUsage().rss);
      if (isSeen && pendingBytes === 0) break;
      isSeen ||= pendingBytes > 0;
      await delay(100);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const quiet = await searchTimes(search);
    return [
      { name: 'a search, median', value: at(quiet, 0.5), unit: 'ms' },
      { name: 'a search, slowest', value: at(quiet, 1), unit: 'ms', limit: 100 },
      { name: 'a search while it indexes, median', value: at(busy, 0.5), unit: 'ms' },
      { name: 'a search while it indexes, 99 %', value: at(busy, 0.99), unit: 'ms' },
      { name: 'indexing everything', value: seconds, unit: 's' },
      { name: 'indexing', value: (RECORDINGS * BYTES) / 1e6 / seconds, unit: 'MB/s' },
      { name: 'memory above the start, at most', value: (peak - before) / 1e6, unit: 'MB', limit: 250 },
      { name: 'the index', value: statSync(file).size / 1e6, unit: 'MB' },
    ];
  } finally {
    await search.close();
    rmSync(directory, { recursive: true });
  }
}

/**
 * Searches for rare and frequent words, several words, a prefix, a phrase, and one and two ideographs, in all
 * sessions and in one.
 */
async function searchTimes(search: Search): Promise<number[]> {
  const queries = [
    word(WORDS - 3),
    word(0),
    `${word(3)} ${word(700)}`,
    word(0).slice(0, 2),
    `"${word(1)} ${word(2)}"`,
    ideograph(0),
    ideograph(7) + ideograph(9),
    `${word(0)} ${word(1)} ${word(2)} ${word(3)}`,
    'nowhereatall',
  ];
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const query of queries) {
      for (const session of [null, 'session-3']) {
        const askedAt = performance.now();
        const { hits } = await search.search({ query, session, kind: null, limit: 20 });
        times.push(performance.now() - askedAt);
        if (
          hits.length === 0 &&
          query !== 'nowhereatall' &&
          session === null &&
          !query.startsWith('"') &&
          query.length > 2
        ) {
          process.stderr.write(`nothing found for ${query}\n`);
        }
      }
    }
  }
  return times;
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Returns a made-up word. Lower numbers are more frequent. */
function word(number: number): string {
  const syllables = ['ba', 'ke', 'li', 'mo', 'nu', 'ra', 'se', 'ti', 'vo', 'zu', 'da', 'fe', 'gi', 'ho', 'ju', 'pa'];
  let text = '';
  for (let rest = number + 17; rest > 0; rest = Math.floor(rest / 16)) text += syllables[rest % 16];
  return text;
}

const ideograph = (number: number): string => String.fromCharCode(0x4e00 + number);

/** Returns a generator of random numbers that are the same in every run. */
function randomBy(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a line of words. As in real language, some words are frequent and most are rare. */
function lineOf(random: () => number): string {
  if (random() < 0.1)
    return Array.from({ length: 30 }, () => ideograph(Math.floor(random() ** 3 * IDEOGRAPHS))).join('');
  return Array.from({ length: 14 }, () => word(Math.floor(random() ** 4 * WORDS))).join(' ');
}

/** Writes answers of 40 lines, each above a prompt that is redrawn with it, and frames of a spinner in between. */
async function writeRecording(place: string, seed: number): Promise<void> {
  const random = randomBy(seed);
  const typescript = createWriteStream(`${place}.typescript`);
  const timing = createWriteStream(`${place}.timing`);
  typescript.write(
    `Script started on 2026-11-${10 + seed} 08:00:00+00:00 [COMMAND="claude" TERM="screen" TTY="/dev/pts/${seed}" COLUMNS="160" LINES="45"]\n`,
  );
  const bottom = (note: string): string =>
    `${note}\r\n\r\n\u001b[2m${RULE}\u001b[22m\r\n❯ \r\n\u001b[2m${RULE}\u001b[22m\r\n  ? for shortcuts`;
  const clear = `${'\u001b[2K\u001b[1A'.repeat(5)}\u001b[2K\u001b[G`;
  for (let written = 0, frame = 0; written < BYTES; ) {
    let rows = '';
    let bytes = '';
    const draw = (pause: number, text: string): void => {
      bytes += text;
      rows += `O ${pause.toFixed(6)} ${Buffer.byteLength(text)}\n`;
    };
    draw(2, `${clear}> ${lineOf(random)}\r\n\r\n${bottom('')}`);
    for (let line = 0; line < 40; line++) {
      for (let spin = 0; spin < 4; spin++)
        draw(0.12, `${clear}${bottom(`✻ Garnishing… (${frame++}s · ↓ ${line} tokens)`)}`);
      draw(0.05, `${clear}${line === 0 ? '● ' : '  '}${lineOf(random)}\r\n${bottom(`✻ Garnishing… (${frame}s)`)}`);
    }
    written += Buffer.byteLength(bytes);
    timing.write(rows);
    if (!typescript.write(bytes)) await once(typescript, 'drain');
  }
  for (const stream of [typescript, timing]) {
    stream.end();
    await once(stream, 'close');
  }
  utimesSync(`${place}.typescript`, new Date(), new Date(Date.now() - 3_600_000));
}
