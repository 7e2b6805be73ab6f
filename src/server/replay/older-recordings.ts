import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readFacts } from '../../platform/recorder/index.ts';
import { CatalogueError, type KeptRecording } from '../../protocol/index.ts';
import type { Replayable, Replays } from './replays.ts';

/** How many older recordings stay open at once, so that a person can switch back and forth between them quickly. */
const MAX_OPEN = 4;

/** The older recordings (`SLUG.N.typescript`), which were moved aside when their session was restarted. */
export interface OlderRecordings {
  /** Returns the older recordings of a slug, newest first. */
  list(slug: string): Promise<KeptRecording[]>;
  /**
   * @param name the recording's name, `SLUG.N`; an older recording keeps its name even if the session is renamed
   * @throws CatalogueError no_recording
   */
  find(name: string): Promise<Replayable>;
}

export function createOlderRecordings(options: { streamDir: string; replays: Replays }): OlderRecordings {
  const { streamDir, replays } = options;
  /** the open recordings, with the most recently used one last */
  const opened = new Map<string, Replayable>();

  async function describe(name: string): Promise<KeptRecording> {
    const source = await sourceOf(name);
    const { size, mtimeMs } = await stat(source.typescript);
    const { startedAt } = await readFacts(source);
    return {
      recording: name,
      started_at: startedAt === null ? null : new Date(startedAt * 1_000).toISOString(),
      ended_at: new Date(mtimeMs).toISOString(),
      size_bytes: size,
    };
  }

  async function sourceOf(name: string) {
    const base = join(streamDir, name);
    const timing = `${base}.timing`;
    return { typescript: `${base}.typescript`, timing: (await isFile(timing)) ? timing : null, cols: null, rows: null };
  }

  return {
    list: async (slug) => {
      const names = await readdir(streamDir).catch(() => []);
      const numbers = names.flatMap((name) => {
        const number = name.startsWith(`${slug}.`)
          ? /^(\d+)\.typescript$/.exec(name.slice(slug.length + 1))?.[1]
          : undefined;
        return number === undefined ? [] : [Number(number)];
      });
      return Promise.all(numbers.sort((one, other) => other - one).map((number) => describe(`${slug}.${number}`)));
    },
    find: async (name) => {
      const source = await sourceOf(name);
      if (!(await isFile(source.typescript))) {
        throw new CatalogueError('no_recording', `The recording ${name} does not exist`);
      }
      const known = opened.get(name) ?? { epoch: () => 0, file: () => source.typescript, source: () => source };
      opened.delete(name);
      opened.set(name, known);
      const [oldest] = opened;
      if (opened.size > MAX_OPEN && oldest !== undefined) {
        opened.delete(oldest[0]);
        await replays.forget(oldest[1]);
      }
      return known;
    },
  };
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
