import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseTiming } from '../src/core/recording/index.ts';
import { createEmulator } from '../src/platform/emulator/index.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { followAll, type Growing, startGrowing } from './growing-recordings.ts';
import { processorSeconds } from './processor-time.ts';
import { untilSettled } from './settled-server.ts';

export const about =
  '20 sessions of 100×30 that write 1 MB/s in all, the output of five versions of Claude Code, write by write as it was recorded: processor time of the server, compared with a terminal that draws the same bytes in one go';

const SESSIONS = 20;
/** The size of the recordings. */
const SIZE = { cols: 100, rows: 30 };
const BYTES_PER_SECOND = 50_000;
const SECONDS = 20;
/** By then, V8 has compiled what a fleet that runs for hours executes all the time. */
const WARM_UP_SECONDS = 45;
/** Versions that draw differently. Their recordings show a long answer below a spinner. */
const VERSIONS = ['1.0.128', '2.0.77', '2.1.150', '2.1.250', '2.1.330'];
/** A quarter above the highest ratio that was measured on an idle machine. */
const MOST_AGAINST_BARE = 15;
const RECORDINGS = fileURLToPath(new URL('../test/fixtures/recordings', import.meta.url));

/** How much of a recording is left out at its beginning and its end, so that only the turn is played. */
const BEGIN_MS = 6_000;
const END_MS = 5_500;

interface Source {
  file: string;
  from: number;
  writes: { bytes: number; delayMs: number }[];
}

interface Played {
  writtenBytes: number;
  writes: number;
  seconds: number;
}

export async function measure(): Promise<Figure[]> {
  const alone = await measureFleet({});
  const unsearched = await measureFleet({ isSearchOff: true });
  const bare = await measureBare();
  return [
    { name: '20 sessions, nobody watches', value: alone.unwatched.cpu, unit: '% of a core' },
    { name: '20 sessions, a client follows all', value: alone.watched.cpu, unit: '% of a core' },
    {
      name: '20 sessions without the search index, nobody watches',
      value: unsearched.unwatched.cpu,
      unit: '% of a core',
    },
    { name: 'written', value: alone.unwatched.bytes / 1e6, unit: 'MB/s' },
    { name: 'in writes', value: alone.unwatched.writes, unit: 'a second' },
    { name: 'one session that answers at the recorded pace', value: alone.one.cpu, unit: '% of a core' },
    { name: 'a terminal that draws the same bytes in one go', value: bare, unit: '% of a core' },
    {
      name: 'nobody watches, against that terminal',
      value: alone.unwatched.cpu / bare,
      unit: 'times',
      limit: MOST_AGAINST_BARE,
    },
  ];
}

interface Measured {
  cpu: number;
  /** per second */
  bytes: number;
  writes: number;
}

async function measureFleet({
  isSearchOff = false,
}: {
  isSearchOff?: boolean;
}): Promise<Record<'unwatched' | 'watched' | 'one', Measured>> {
  await using world = createWorld();
  // A folder where the index expects its database disables the index, just as a damaged database would.
  if (isSearchOff) mkdirSync(join(world.cbosHome, 'search.db'), { recursive: true, mode: 0o700 });
  const growing = await startGrowing(world, SESSIONS, {}, SIZE);
  const { pid } = growing.cbos;
  const play = async (sessions: number, bytesPerSecond: number | null, seconds = SECONDS): Promise<Measured> => {
    // What is left to index from the output before must not count.
    await untilSettled(pid);
    const before = processorSeconds(pid);
    const played = await playInto(growing, { dir: world.dir, sessions, bytesPerSecond, seconds });
    const cpu = ((processorSeconds(pid) - before) / played.seconds) * 100;
    return { cpu, bytes: played.writtenBytes / played.seconds, writes: played.writes / played.seconds };
  };
  await play(SESSIONS, BYTES_PER_SECOND, WARM_UP_SECONDS);
  const unwatched = await play(SESSIONS, BYTES_PER_SECOND);
  const one = await play(1, null);
  const client = await followAll(world, growing);
  const watched = await play(SESSIONS, BYTES_PER_SECOND);
  client.ws.close();
  return { unwatched, watched, one };
}

interface Play {
  /** a folder for the specification file */
  dir: string;
  sessions: number;
  bytesPerSecond: number | null;
  seconds: number;
}

/** Plays recorded output into the recordings of sessions, from a separate process. */
async function playInto(
  { files, timings }: Growing,
  { dir, sessions, bytesPerSecond, seconds }: Play,
): Promise<Played> {
  const sources = VERSIONS.map(sourceOf);
  const outputs = files.slice(0, sessions).map((typescript, index) => {
    // The newest version comes first, so that a single session plays the current version.
    const source = (VERSIONS.length - 1 + index) % VERSIONS.length;
    const first = (index * 37) % (sources[source]?.writes.length ?? 1);
    return { typescript, timing: timings[index], source, first };
  });
  const file = join(dir, 'play.json');
  writeFileSync(file, JSON.stringify({ outputs, sources, bytesPerSecond, seconds }));
  const program = fileURLToPath(new URL('play-output.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the player ended with ${code}`);
  return JSON.parse(said) as Played;
}

function sourceOf(version: string): Source {
  const base = join(RECORDINGS, version, 'long');
  const { entries } = parseTiming(readFileSync(`${base}.timing`, 'utf8'));
  const endMs = entries.reduce((sum, { delay }) => sum + delay * 1_000, 0);
  const file = `${base}.typescript`;
  const source: Source = { file, from: readFileSync(file).indexOf('\n') + 1, writes: [] };
  let atMs = 0;
  let lastMs = 0;
  for (const entry of entries) {
    atMs += entry.delay * 1_000;
    if (entry.kind !== 'output') continue;
    if (atMs < BEGIN_MS) source.from += entry.bytes;
    else if (atMs < endMs - END_MS) source.writes.push({ bytes: entry.bytes, delayMs: atMs - lastMs });
    lastMs = atMs;
  }
  return source;
}

/** Returns the processor time that a terminal takes for the same number of bytes per second, in percent of a core. */
async function measureBare(): Promise<number> {
  const sources = VERSIONS.map(sourceOf).map(({ file, from, writes }) =>
    readFileSync(file).subarray(from, from + writes.reduce((sum, { bytes }) => sum + bytes, 0)),
  );
  const total = sources.reduce((sum, { length }) => sum + length, 0);
  const emulator = createEmulator({ ...SIZE, scrollback: 1_000 });
  const draw = async (bytes: number): Promise<number> => {
    let written = 0;
    for (; written < bytes; written += total) for (const source of sources) emulator.write(source);
    await emulator.flush();
    return written;
  };
  await draw(total);
  const before = process.cpuUsage();
  const written = await draw(10 * BYTES_PER_SECOND * SESSIONS);
  const { user, system } = process.cpuUsage(before);
  emulator.dispose();
  return ((user + system) / 1e6 / (written / BYTES_PER_SECOND / SESSIONS)) * 100;
}
