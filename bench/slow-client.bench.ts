import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { appendOutput, followAll, memoryMegabytes, share, startGrowing } from './growing-recordings.ts';

export const about =
  'a client that reads nothing for a minute while 100 MB pass and five other clients read them: memory of the server, and what the others notice';

const SESSIONS = 4;
const OTHERS = 5;
/** The output is the same with and without the slow client. */
const OUTPUT = { bytesPerSecond: 100_000_000 / 60, writeBytes: 1_500 };
const SECONDS_ALONE = 20;
const SECONDS_SLOW = 60;
/** After this time, heaps and caches have reached their size. */
const SECONDS_WARM_UP = 12;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const growing = await startGrowing(world, SESSIONS);
  const { files, timings, cbos } = growing;
  const others = await Promise.all(Array.from({ length: OTHERS }, () => followAll(world, growing)));
  const write = async (seconds: number) => {
    for (const other of others) other.begin();
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, memoryMegabytes(cbos.pid));
    }, 100);
    const { writtenBytes } = await appendOutput({ files, timings, ...OUTPUT, seconds });
    clearInterval(watch);
    const ages = others.flatMap((other) => other.ages());
    return { peak, writtenBytes, median: share(ages, 0.5), p99: share(ages, 0.99) };
  };
  await write(SECONDS_WARM_UP);
  const alone = await write(SECONDS_ALONE);
  const slow = await followAll(world, growing);
  slow.ws.pause();
  const beside = await write(SECONDS_SLOW);
  slow.ws.resume();
  await waitFor(() => slow.offset() === others[0]?.offset(), { describe: 'the slow one is where the others are' });
  return [
    { name: 'passed in that time', value: beside.writtenBytes / 1e6, unit: 'MB' },
    { name: 'memory above the minute before', value: beside.peak - alone.peak, unit: 'MB', limit: 30 },
    { name: 'the others, median without it', value: alone.median, unit: 'ms' },
    { name: 'the others, median with it', value: beside.median, unit: 'ms' },
    { name: 'the others, p99 without it', value: alone.p99, unit: 'ms' },
    { name: 'the others, p99 with it', value: beside.p99, unit: 'ms' },
    { name: 'p99 with it against without it', value: beside.p99 / alone.p99, unit: 'times', limit: 2 },
    { name: 'snapshots that brought it back', value: slow.snapshots(), unit: 'of 4' },
  ];
}
