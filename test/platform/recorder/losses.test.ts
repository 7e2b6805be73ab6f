import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchLosses } from '../../../src/platform/recorder/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

/** Long enough for several comparisons of the two files. A difference counts only if several of them agree. */
const SEVERAL_COMPARISONS_MS = 1_500;

/** Watches a recording of the given output, and its timing. Nobody has read the rows yet. */
function watch(world: World, { output, rows }: { output: string; rows: string }) {
  const typescript = join(world.streamDir, 'A.typescript');
  const timing = join(world.streamDir, 'A.timing');
  writeFileSync(typescript, `Script started on X\n${output}`);
  writeFileSync(timing, `H 0.000000 START_TIME X\n${rows}`);
  const seen: string[] = [];
  const losses = watchLosses({
    typescript,
    timing,
    onLost: () => seen.push('lost'),
    onError: (error) => expect.unreachable(String(error)),
  });
  world.onDispose(() => losses.dispose());
  const tell = (bytes: number): void => losses.rows(bytes, statSync(timing).size, statSync(timing).size);
  return { typescript, timing, losses, seen, tell };
}

test('output whose rows are read late is not a loss, and the timing stays as it was written', async () => {
  await using world = createWorld();
  const { typescript, timing, losses, seen, tell } = watch(world, { output: '', rows: '' });
  tell(0);
  await waitFor(losses.isWatching, { describe: 'both files are compared' });
  const before = statSync(timing).size;
  appendFileSync(typescript, 'x'.repeat(100));
  appendFileSync(timing, 'O 0.100000 100\n');
  losses.rows(0, before, before);
  const later = performance.now() + SEVERAL_COMPARISONS_MS;
  await waitFor(() => performance.now() > later, { describe: 'they were compared, with a row that nobody read yet' });
  tell(100);
  appendFileSync(timing, 'O 0.100000 30\n');
  tell(30);
  await waitFor(() => seen.length > 0, { describe: 'a row without its output is a loss' });
  expect(seen).toEqual(['lost']);
  expect(readFileSync(timing, 'utf8')).toContain('O 0.100000 100\n');
});

test('output is also noticed as lost if it was lost before the two files were compared for the first time', async () => {
  await using world = createWorld();
  const rows = 'O 0.100000 100\nO 0.100000 30\n';
  const { timing, seen, tell } = watch(world, { output: 'x'.repeat(100), rows });
  tell(130);
  await waitFor(() => seen.length > 0, { describe: 'the loss is noticed' });
  expect(readFileSync(timing, 'utf8')).toMatch(/\nO 0\.100000 100\nH 0\.100000 30\n$/);
});

test('rows of a long timing file that were not read do not make its output look lost or extra', async () => {
  await using world = createWorld();
  const rows = 'O 0.100000 100\nO 0.100000 30\n';
  const { timing, losses, seen, tell } = watch(world, { output: 'x'.repeat(130), rows });
  tell(30);
  await waitFor(losses.isWatching, { describe: 'both files are compared' });
  expect(seen).toEqual([]);
  expect(readFileSync(timing, 'utf8')).toMatch(/\nO 0\.100000 100\nO 0\.100000 30\n$/);
});
