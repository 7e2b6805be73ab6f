import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FacesUnderTest } from './faces.ts';
import type { TestRepository } from './git-repository.ts';
import { DONE } from './some-sessions.ts';
import { runTurn } from './some-turns.ts';

/** When the recordings in memory begin. */
const STARTED = Date.parse('2026-11-20T15:04:05Z');
/** How long the recording of the session is, in seconds. */
export const PAST_S = 60;
/** A picture of one pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Adds the session PAST, which works in a repository, and whose recording takes a minute. */
export function addPast({ sessions, world }: FacesUnderTest, repository: TestRepository): void {
  const recording = sessions.add('PAST', { ...DONE, path: repository.dir });
  const timing = join(world.streamDir, 'PAST.timing');
  recording.timing = timing;
  writeFileSync(timing, '');
  for (const [delay, text] of [
    [1, 'begin\r\n'],
    [PAST_S - 1, 'the end'],
  ] as const) {
    recording.write(text);
    appendFileSync(timing, `O ${delay.toFixed(6)} ${Buffer.byteLength(text)}\n`);
  }
}

/** Runs a turn of PAST between two seconds of its recording. @param work changes files */
export function runPast(
  faces: FacesUnderTest,
  [began, ended]: readonly [number, number],
  work: () => void,
): Promise<void> {
  const time = (second: number): string => new Date(STARTED + second * 1_000).toISOString();
  return runTurn(faces, 'PAST', { prompt: 'do it', work, began: time(began), ended: time(ended) });
}

/**
 * Runs two turns of PAST. The first, from 10 to 20 s, changes a.txt and adds files in src. The second, from 30 to 40 s,
 * deletes one of those files and adds a picture.
 */
export async function runTwoPast(faces: FacesUnderTest, repository: TestRepository): Promise<void> {
  await runPast(faces, [10, 20], () => {
    repository.write('a.txt', 'two\n\u202ehidden\n');
    repository.write('src/gone.txt', 'soon gone\n');
    repository.write('src/kept.txt', 'kept\n');
  });
  await runPast(faces, [30, 40], () => {
    rmSync(join(repository.dir, 'src/gone.txt'));
    repository.write('picture.png', Buffer.from(PNG, 'base64'));
  });
}
