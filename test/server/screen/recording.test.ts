import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSystemClock } from '../../../src/server/clock.ts';
import { createSessionRecording } from '../../../src/server/screen/recording.ts';
import { HEADER } from '../../harness/memory-recording.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

test('output that follows a resize is drawn in the new size, even right after other output', async () => {
  await using world = createWorld();
  const [typescript, timing] = ['typescript', 'timing'].map((ending) => join(world.streamDir, `A.${ending}`)) as [
    string,
    string,
  ];
  writeFileSync(typescript, HEADER);
  writeFileSync(timing, 'H 0.000000 TERM screen\n');
  const frames: string[][] = [];
  const recording = createSessionRecording({
    slug: () => 'A',
    files: { typescript, timing },
    size: { cols: 80, rows: 24 },
    clock: createSystemClock(),
    onFrame: ({ lines }) => void frames.push([...lines]),
    onResize: () => undefined,
    onLost: null,
    onDamage: () => undefined,
    onAside: (cause) => expect.unreachable(String(cause)),
    onDeleted: () => Promise.resolve(),
    onFault: (cause) => expect.unreachable(String(cause)),
  });
  world.onDispose(() => recording.close());
  await recording.follow();
  const write = (output: string): void => {
    appendFileSync(typescript, output);
    appendFileSync(timing, `O 0.001000 ${output.length}\n`);
  };
  const drawnLine = (text: string) =>
    waitFor(() => frames.at(-1)?.find((line) => line.includes(text)), { describe: `${text} is drawn` });
  for (const cols of [130, 100, 160]) {
    write(`before ${cols}\r\n`);
    await drawnLine(`before ${cols}`);
    appendFileSync(timing, `S 0.001000 SIGWINCH ROWS=24 COLS=${cols}\n`);
    write(`\x1b[${cols - 4}Gedge\r\n`);
    expect(await drawnLine('edge')).toBe('edge'.padStart(cols - 1));
    write('\x1b[2J\x1b[H');
  }
});
