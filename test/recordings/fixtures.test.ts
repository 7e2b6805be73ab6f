import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseHeader, parseTiming, parseTrailer } from '../../src/core/recording/index.ts';

const FOLDERS = ['recordings', 'recordings-held-out'].map((name) =>
  fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)),
);
const STATES = ['starting', 'idle', 'active', 'waiting', 'error', 'dead', 'waiting-or-idle'];

const recordings = FOLDERS.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.typescript'))
    .map((name) => join(folder, name.slice(0, -'.typescript'.length))),
);

test.each(recordings)('%s is complete, labelled in order, and names nobody’s machine', (base) => {
  const bytes = readFileSync(`${base}.typescript`);
  const timingText = readFileSync(`${base}.timing`, 'utf8');
  const header = parseHeader(bytes);
  const start = header.kind === 'header' ? header.header.end : 0;
  const output = (parseTrailer(bytes)?.start ?? bytes.length) - start;
  const timing = parseTiming(timingText);
  const timed = timing.entries.reduce((sum, entry) => sum + (entry.kind === 'output' ? entry.bytes : 0), 0);
  expect(start).toBeGreaterThan(0);
  // The newline before `script`'s last line does not belong to a row.
  expect(output - timed).toBeOneOf([0, 1]);

  const labels = readFileSync(`${base}.labels.jsonl`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { t: number; state?: string; event?: string });
  expect(labels.map(({ t }) => t)).toEqual(labels.map(({ t }) => t).sort((a, b) => a - b));
  for (const { state } of labels) expect(STATES).toContain(state ?? 'idle');
  expect(labels.at(-1)?.event).toBe('end-of-recording');

  const text = `${bytes.toString('latin1')}${timingText}`;
  expect(text).not.toMatch(/\/tmp\/cb-|-tmp-cb-|\/run\/launch-/);
  const meta = JSON.parse(readFileSync(`${base}.meta.json`, 'utf8')) as { cols: number; rows: number };
  expect(header).toMatchObject({ header: { cols: meta.cols, rows: meta.rows } });
});
