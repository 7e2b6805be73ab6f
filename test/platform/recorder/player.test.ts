import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseTimingLine } from '../../../src/core/recording/index.ts';
import { createEmulator } from '../../../src/platform/emulator/index.ts';
import { type PlayerEvent, RecordingPlayer, readFacts } from '../../../src/platform/recorder/index.ts';
import { createWorld } from '../../harness/world.ts';

const HEADER =
  'Script started on 2026-11-20 15:04:05+00:00 [COMMAND="c" TERM="t" TTY="/dev/pts/4" COLUMNS="40" LINES="10"]\n';

let world: ReturnType<typeof createWorld>;
let base: string;
beforeEach(() => {
  world = createWorld();
  base = join(world.streamDir, 'A');
});
afterEach(() => world.dispose());

async function openPlayer(more: { intervalBytes?: number; timing?: null; cols?: number } = {}) {
  const { timing = `${base}.timing`, cols = null, ...options } = more;
  const source = { typescript: `${base}.typescript`, timing, cols, rows: null };
  const player = await RecordingPlayer.open({
    source,
    keyframes: `${base}.keyframes`,
    now: () => Date.now(),
    ...options,
  });
  world.onDispose(() => player.close());
  return player;
}

/** Writes rows as `script` does, and stores what a terminal must show after each row. */
function write(rows: readonly { delay: number; text?: string | Uint8Array; size?: [number, number] }[]): void {
  for (const { delay, text, size } of rows) {
    if (text !== undefined) {
      const bytes = Buffer.from(text);
      appendFileSync(`${base}.typescript`, bytes);
      appendFileSync(`${base}.timing`, `O ${delay.toFixed(6)} ${bytes.length}\n`);
    }
    if (size !== undefined) {
      appendFileSync(`${base}.timing`, `S ${delay.toFixed(6)} SIGWINCH ROWS=${size[1]} COLS=${size[0]}\n`);
    }
  }
}

function begin(): void {
  writeFileSync(`${base}.typescript`, HEADER);
  writeFileSync(`${base}.timing`, 'H 0.000000 COLUMNS 40\nH 0.000000 LINES 10\n');
}

/** Returns what is visible: the text and styles of all rows, and the cursor. */
async function seen(draw: { cols: number; rows: number; data: string; after?: readonly PlayerEvent[] }) {
  const emulator = createEmulator({ cols: draw.cols, rows: draw.rows, scrollback: 0 });
  try {
    emulator.write(Buffer.from(draw.data));
    for (const event of draw.after ?? []) {
      if (event.kind === 'output') emulator.write(Buffer.from(event.text));
      else {
        await emulator.flush();
        emulator.resize(event.cols, event.rows);
      }
    }
    await emulator.flush();
    const { cursor } = emulator.frame();
    return { rows: emulator.styledRows(1_000), cursor, isCursorVisible: emulator.isCursorVisible() };
  } finally {
    emulator.dispose();
  }
}

async function allOutput(player: RecordingPlayer, limit: number, from = 0): Promise<PlayerEvent[]> {
  const events: PlayerEvent[] = [];
  for (let next: number | null = from; next !== null; ) {
    const page = await player.output(next, limit);
    expect(page.next === null || page.next > next).toBe(true);
    events.push(...page.events);
    next = page.next;
  }
  return events;
}

const textOf = (events: readonly PlayerEvent[]): string =>
  events.map((event) => (event.kind === 'output' ? event.text : '')).join('');

const RECORDINGS = 'test/fixtures/recordings';
const versions = readdirSync(RECORDINGS);

describe.each(versions)('recordings of Claude Code %s', (version) => {
  const names = readdirSync(join(RECORDINGS, version)).filter((name) => name.endsWith('.typescript'));
  // Every sixth recording is enough: each kind of scene is among them, in one version or another.
  test.each(names.filter((_, index) => index % 6 === 0))(
    '%s: any point shows the same as playing up to it',
    async (name) => {
      const original = join(RECORDINGS, version, name.replace('.typescript', ''));
      for (const ending of ['.typescript', '.timing']) copyFileSync(`${original}${ending}`, `${base}${ending}`);
      const player = await openPlayer({ intervalBytes: 3_000 });
      const { start, end } = await readFacts({
        typescript: `${base}.typescript`,
        timing: `${base}.timing`,
        cols: null,
        rows: null,
      });
      const { duration, cols, rows } = await player.facts();
      const all = await allOutput(player, 5_000);
      expect(textOf(all)).toBe(readFileSync(`${base}.typescript`).subarray(start, end).toString());
      for (const part of [0, 0.13, 0.4, 0.77, 1]) {
        const t = duration * part;
        const frame = await player.frame({ at: t });
        const upTo = part === 0 ? [] : all.filter((event) => event.at <= t);
        expect(await seen(frame), `at ${t}`).toEqual(await seen({ cols, rows, data: '', after: upTo }));
        expect(await player.frame({ offset: frame.offset })).toMatchObject({ offset: frame.offset });
        // A player continues from this frame.
        const rest = await allOutput(player, 1_000_000, frame.at);
        expect(await seen({ ...frame, after: rest })).toEqual(await seen({ cols, rows, data: '', after: all }));
      }
    },
  );
});

test('times are those of the timing, sizes those of the resizes, and a time beyond the end is the end', async () => {
  begin();
  write([
    { delay: 0.5, text: 'one' },
    { delay: 1, text: ' two' },
    { delay: 0.25, size: [50, 12] },
    { delay: 2, text: ' end' },
  ]);
  const player = await openPlayer();
  expect(await player.facts()).toMatchObject({
    duration: 3.75,
    cols: 40,
    rows: 10,
    timed: true,
    startedAt: 1_795_187_045,
  });
  expect(await player.frame({ at: 0 })).toMatchObject({ at: 0, offset: HEADER.length, data: '', cols: 40, rows: 10 });
  expect(await player.frame({ at: 1.6 })).toMatchObject({ at: 1.6, data: 'one two', cols: 40 });
  expect(await player.frame({ at: 1.75 })).toMatchObject({ data: 'one two', cols: 50, rows: 12 });
  expect(await player.frame({ at: 999 })).toMatchObject({ at: 3.75, data: 'one two end' });
  expect(await player.frame({ offset: HEADER.length + 4 })).toMatchObject({ at: 1.5, offset: HEADER.length + 7 });
  expect(await player.output(0.5, 1_000)).toEqual({
    events: [
      { kind: 'output', at: 1.5, text: ' two' },
      { kind: 'resize', at: 1.75, cols: 50, rows: 12 },
      { kind: 'output', at: 3.75, text: ' end' },
    ],
    next: null,
  });
});

test('rows of one time stay together, however little is requested, and a split character or sequence is returned whole', async () => {
  begin();
  const bytes = Buffer.from('a❯b\u001b[31mc');
  write([...bytes].map((byte, index) => ({ delay: index % 2 === 0 ? 0.1 : 0, text: Buffer.from([byte]) })));
  const player = await openPlayer();
  const first = await player.output(0, 1);
  expect(first.next).not.toBeNull();
  expect(textOf(await allOutput(player, 1))).toBe(bytes.toString());
  for (const t of [0.15, 0.25, 0.35, 0.45]) {
    const frame = await player.frame({ at: t });
    const rest = await allOutput(player, 3, frame.at);
    expect((await seen({ ...frame, after: rest })).rows[0]).toBe('a❯b\u001b[0;31mc\u001b[0m');
  }
});

test('keyframes are made as it grows, are found again, and an incomplete last one is made again', async () => {
  begin();
  const rows = Array.from({ length: 200 }, (_, index) => ({
    delay: 0.01,
    text: `line ${index} ${'x'.repeat(30)}\r\n`,
  }));
  write(rows.slice(0, 100));
  const player = await openPlayer({ intervalBytes: 1_000 });
  await player.grow();
  const half = statSync(`${base}.keyframes`).size;
  write(rows.slice(100));
  await player.grow();
  const whole = readFileSync(`${base}.keyframes`);
  expect(whole.length).toBeGreaterThan(half);
  expect(statSync(`${base}.keyframes`).mode & 0o777).toBe(0o600);
  const wanted = await player.frame({ at: 1.5 });
  truncateSync(`${base}.keyframes`, whole.length - 7);
  const again = await openPlayer({ intervalBytes: 1_000 });
  expect(await again.frame({ at: 1.5 })).toEqual(wanted);
  await again.grow();
  expect(readFileSync(`${base}.keyframes`).equals(whole)).toBe(true);
});

test('keyframes of another recording in the same place are discarded', async () => {
  begin();
  write(Array.from({ length: 100 }, () => ({ delay: 0.01, text: `${'old'.repeat(20)}\r\n` })));
  const old = await openPlayer({ intervalBytes: 500 });
  await old.grow();
  begin();
  write(Array.from({ length: 200 }, () => ({ delay: 0.01, text: `${'new'.repeat(20)}\r\n` })));
  const player = await openPlayer({ intervalBytes: 500 });
  expect((await player.frame({ at: 99 })).data).not.toContain('old');
  expect((await player.frame({ at: 1 })).data).toContain('new');
});

test('a log without times is played at an even pace, in the given size', async () => {
  writeFileSync(`${base}.typescript`, 'x'.repeat(25_000));
  const player = await openPlayer({ timing: null, cols: 100 });
  expect(await player.facts()).toMatchObject({ duration: 2.5, timed: false, cols: 100, startedAt: null });
  expect((await player.frame({ at: 1 })).offset).toBe(10_000);
  expect(textOf(await allOutput(player, 3_000))).toBe('x'.repeat(25_000));
});

test('output that the timing does not count comes at the end, when nothing more is written', async () => {
  begin();
  write([{ delay: 1, text: 'told' }]);
  appendFileSync(`${base}.typescript`, ' untold');
  const live = await openPlayer();
  expect(textOf(await allOutput(live, 100))).toBe('told');
  appendFileSync(`${base}.typescript`, '\nScript done on 2026-11-20 15:04:09+00:00 [COMMAND_EXIT_CODE="0"]\n');
  const done = await openPlayer();
  expect(textOf(await allOutput(done, 100))).toBe('told untold');
});

test('a cut-off row of the timing is left for later', async () => {
  begin();
  write([{ delay: 1, text: 'one' }]);
  const player = await openPlayer();
  appendFileSync(`${base}.typescript`, 'two');
  appendFileSync(`${base}.timing`, 'O 1.0000');
  expect((await player.facts()).duration).toBe(1);
  appendFileSync(`${base}.timing`, '00 3\n');
  expect(parseTimingLine('O 1.000000 3')).not.toBeNull();
  expect((await player.facts()).duration).toBe(2);
  expect((await player.frame({ at: 2 })).data).toBe('onetwo');
});
