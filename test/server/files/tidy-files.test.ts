import { existsSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredFile } from '../../../src/protocol/index.ts';
import { type KeptFiles, keepFiles } from '../../../src/server/files/session-files.ts';
import { attendInMemory } from '../../harness/attended.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { MemorySessions } from '../../harness/memory-sessions.ts';
import { createWorld, type World } from '../../harness/world.ts';

const DAY_MS = 86_400_000;

let world: World;
let clock: ManualClock;
let sessions: MemorySessions;
let kept: KeptFiles;
beforeEach(() => {
  world = createWorld();
  clock = new ManualClock(Date.now());
  sessions = new MemorySessions(world.streamDir);
  const attended = attendInMemory(sessions);
  const silent = (): void => undefined;
  kept = keepFiles({
    sessions: attended.sessions,
    idOf: (slug) => sessions.idOf(slug),
    dir: join(world.cbosHome, 'files'),
    settings: { max_file_size: 1_000, keep_files_days: 30 },
    clock,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  world.onDispose(async () => {
    kept.dispose();
    attended.dispose();
  });
});
afterEach(() => world.dispose());

async function add(slug: string): Promise<StoredFile> {
  sessions.add(slug);
  const bytes = (async function* () {
    yield Buffer.from('content');
  })();
  return kept.files.add(slug, { name: 'a.txt', type: null, announcedBytes: null, bytes });
}
/** Ends a session, whose last activity was some days ago. */
function end(slug: string, daysAgo: number): void {
  const { status } = sessions.get(slug);
  const last_activity = new Date(clock.now() - daysAgo * DAY_MS).toISOString();
  sessions.change(slug, { last_activity, state: 'dead', status: { ...status, primary: 'dead', detail: null } });
}
function makeOld({ path }: StoredFile, days: number): void {
  const at = new Date(clock.now() - days * DAY_MS);
  utimesSync(dirname(path), at, at);
}

test('removes the files of sessions that stopped long ago, and keeps those of running and of lately stopped ones', async () => {
  const [running, lately, long, prepared] = await Promise.all(['RUNNING', 'LATELY', 'LONG', 'PREPARED'].map(add));
  if (running === undefined || lately === undefined || long === undefined || prepared === undefined) throw new Error();
  for (const file of [running, lately, long]) makeOld(file, 40);
  end('LATELY', 29);
  end('LONG', 31);
  // A file was stored today, for the restart of the session.
  end('PREPARED', 31);
  await kept.tidy();
  const left = [running, lately, long, prepared].map(({ path }) => existsSync(path));
  expect(left).toEqual([true, true, false, true]);
});

test('removes the files of a session that is gone, but not of one that is not listed yet', async () => {
  const [gone, fresh] = await Promise.all(['GONE', 'FRESH'].map(add));
  if (gone === undefined || fresh === undefined) throw new Error();
  makeOld(gone, 2);
  await sessions.remove('GONE');
  await sessions.remove('FRESH');
  await kept.tidy();
  expect([gone, fresh].map(({ path }) => existsSync(path))).toEqual([false, true]);
});
