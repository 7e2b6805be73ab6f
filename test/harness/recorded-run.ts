import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FacesUnderTest } from './faces.ts';
import { asking } from './some-sessions.ts';

/** When the recordings in memory begin. */
const STARTED = Date.parse('2026-11-20T15:04:05Z');
/** When the newest run asks its question, and how long the run is. */
export const ASKED_S = 40;
export const RUN_S = 60;

/**
 * Adds the session RUN, which ran twice: once for a few seconds, then for a minute, with a question during the second
 * run.
 */
export function addRecordedRun(faces: FacesUnderTest): void {
  addRun(faces, { isSecond: true });
}

/** Adds the session RUN with the run of a minute alone. */
export function addOnlyRun(faces: FacesUnderTest): void {
  addRun(faces, { isSecond: false });
}

function addRun({ sessions, world: { streamDir } }: FacesUnderTest, { isSecond }: { isSecond: boolean }): void {
  const { status } = asking();
  if (status === undefined) throw new Error('no status');
  const since = new Date(STARTED + ASKED_S * 1_000).toISOString();
  const recording = sessions.add('RUN', {
    ...asking(),
    status: { ...status, since },
    last_question: 'Shall I deploy?',
  });
  const base = join(streamDir, 'RUN');
  recording.timing = `${base}.timing`;
  const write = (delay: number, text: string): void => {
    recording.write(text);
    appendFileSync(`${base}.timing`, `O ${delay.toFixed(6)} ${Buffer.byteLength(text)}\n`);
  };
  if (isSecond) {
    writeFileSync(`${base}.timing`, '');
    write(1, 'of the first run');
    recording.replace();
    renameSync(`${base}.typescript.1`, `${base}.1.typescript`);
    renameSync(`${base}.timing`, `${base}.1.timing`);
  }
  writeFileSync(`${base}.timing`, '');
  write(1, 'begin\r\n');
  write(ASKED_S - 1, 'shall I deploy?\r\n');
  write(RUN_S - ASKED_S, 'the end');
}
