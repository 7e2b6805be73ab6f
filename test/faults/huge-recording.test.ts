import { appendFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readMemory } from '../../src/platform/process/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { createWorld } from '../harness/world.ts';

const STUB = fileURLToPath(new URL('../harness/stub-agent.sh', import.meta.url));
const SIZE_BYTES = 10_000_000_000;
/** Without the recording the server takes about 130 MB. */
const MOST_MEMORY_BYTES = 300_000_000;

test('a recording of 10 GB is read from its end: the server starts, shows its last lines, and stays small', async () => {
  await using world = createWorld();
  const before = await startCbos(world, { CBOS_CLAUDE_COMMAND: STUB });
  await before.call('POST', '/sessions', { slug: 'HUGE', type: 'screen', path: world.projectDir });
  await before.call('POST', '/sessions/HUGE/kill');
  await before.stop();
  const file = join(world.streamDir, 'HUGE.typescript');
  // The file is sparse: only its end is on the disk.
  truncateSync(file, SIZE_BYTES);
  appendFileSync(file, '\r\nthe last line\r\n');

  // The server must answer within the 20 s that a test gives every start, even if the machine runs ten other programs.
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: STUB });
  const { body } = await cbos.call<{ buffer: string; offset: number }>('GET', '/sessions/HUGE/buffer?lines=5');
  expect(body.buffer).toContain('the last line');
  expect(body.offset).toBe(statSync(file).size);
  expect(await readMemory(cbos.pid)).toBeLessThan(MOST_MEMORY_BYTES);
});
