import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseTiming } from '../../../src/core/recording/index.ts';
import { createDrawingPace } from '../../../src/server/screen/drawing-pace.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

function setUp() {
  const clock = new ManualClock();
  const drawn: number[] = [];
  const pace = createDrawingPace(clock, () => drawn.push(clock.elapsed()));
  return { clock, drawn, pace };
}

/** Takes one write of this size every `everyMs`, for a while. */
function write({ clock, pace }: ReturnType<typeof setUp>, bytes: number, everyMs: number, forMs: number): void {
  for (let at = 0; at < forMs; at += everyMs) {
    pace.take(bytes);
    clock.advance(everyMs);
  }
}

test('little output is drawn as it arrives', () => {
  const all = setUp();
  write(all, 100, 5, 500);
  expect(all.drawn).toHaveLength(100);
});

test('a lot of output is drawn every 80 ms, from the second such span on, including the last of it', () => {
  const all = setUp();
  write(all, 500, 10, 390);
  expect(all.drawn).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 160, 240, 320]);
  all.clock.advance(1_000);
  expect(all.drawn.slice(12)).toEqual([400]);
});

test('after a pause the first output is drawn at once, and as it arrives', () => {
  const all = setUp();
  write(all, 500, 10, 400);
  all.clock.advance(200);
  const { length } = all.drawn;
  write(all, 500, 10, 30);
  expect(all.drawn.slice(length)).toEqual([600, 610, 620]);
});

test('a single large redraw does not delay the output after it', () => {
  const all = setUp();
  all.pace.take(6_000);
  all.clock.advance(300);
  write(all, 100, 10, 50);
  expect(all.drawn).toEqual([0, 300, 310, 320, 330, 340]);
});

test('output that is drawn now is not drawn again', () => {
  const all = setUp();
  write(all, 500, 10, 110);
  const { length } = all.drawn;
  all.pace.hurry();
  all.clock.advance(500);
  expect(all.drawn).toHaveLength(length);
});

test('at the pace of Claude Code itself hardly any write waits', () => {
  const folder = fileURLToPath(new URL('../../fixtures/recordings', import.meta.url));
  const late: string[] = [];
  let writes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.timing')) continue;
    const { clock, drawn, pace } = setUp();
    for (const entry of parseTiming(readFileSync(join(folder, name), 'utf8')).entries) {
      clock.advance(entry.delay * 1_000);
      if (entry.kind !== 'output') continue;
      const { length } = drawn;
      pace.take(entry.bytes);
      writes += 1;
      if (drawn.length === length) late.push(`${name} at ${clock.elapsed()}`);
    }
  }
  expect(late.length / writes, late.join('\n')).toBeLessThan(0.003);
});
