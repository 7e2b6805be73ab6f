import { copyFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createHistoryStore } from '../../../src/platform/sqlite/history-store.ts';
import { NOTHING_REPORTED } from '../../../src/platform/sqlite/reported.ts';
import { createSessionStore } from '../../../src/platform/sqlite/session-store.ts';
import type { World } from '../../harness/world.ts';

const SOURCE = 'test/fixtures/recordings/2.1.329/long';

export interface EndedSessions {
  count: number;
  /** the number of status changes per session */
  changes: number;
  /** the size of each recording, which repeats a real turn */
  recordingBytes: number;
}

/** Creates sessions as a server leaves them: ended, with their history and their recordings. */
export function makeEndedSessions(world: World, { count, changes, recordingBytes }: EndedSessions): void {
  mkdirSync(world.cbosHome, { mode: 0o700 });
  const database = openDatabase(join(world.cbosHome, 'cbos.db'));
  const sessions = createSessionStore(database);
  const history = createHistoryStore(database);
  const template = writeTemplate(world, recordingBytes);
  const endedAt = Date.now() - 3_600_000;
  database.exec('BEGIN');
  for (let number = 1; number <= count; number += 1) {
    const slug = `ENDED-${number}`;
    const typescript = join(world.streamDir, `${slug}.typescript`);
    const timing = join(world.streamDir, `${slug}.timing`);
    copyFileSync(template.typescript, typescript);
    copyFileSync(template.timing, timing);
    for (const file of [typescript, timing]) utimesSync(file, endedAt / 1_000, endedAt / 1_000);
    sessions.save({
      ...{ id: `id-${number}`, slug, type: 'screen', path: world.projectDir, adopted: true, createdAt: endedAt },
      launch: {
        args: [],
        env: {},
        permission_mode: null,
        model: null,
        cols: 160,
        rows: 45,
        max_budget_usd: null,
        trusted_folder: null,
      },
      ...{ launchId: `launch-${number}`, screenId: `${number}.${slug}`, window: '0' },
      ...{ daemon: null, agent: null, claudeSessionId: null, claudeVersion: '2.1.329' },
      ...{ recording: { typescript, timing }, endedAt, lastActivity: endedAt, lastQuestion: null },
      ...{
        hooks: null,
        answerKey: null,
        clearedAt: null,
        queueStoppedAt: null,
        parkedAt: null,
        boot: null,
        stopAskedAt: null,
        loss: null,
        ended: null,
        reported: NOTHING_REPORTED,
        shown: [],
        removedAt: null,
        typed: null,
      },
    });
    for (let change = changes; change > 0; change -= 1) {
      history.append(`id-${number}`, {
        at: new Date(endedAt - change * 1_000).toISOString(),
        ...(change === 1
          ? { primary: 'dead', detail: null, state: 'dead', health: 'DEAD' }
          : { primary: 'idle', detail: 'ready', state: 'idle', health: 'ALIVE' }),
        because: { source: 'screen', rule: 'screen.prompt', evidence: '❯' },
      });
    }
  }
  database.exec('COMMIT');
  database.close();
}

function writeTemplate(world: World, recordingBytes: number): { typescript: string; timing: string } {
  const source = readFileSync(`${SOURCE}.typescript`);
  // The rows are converted to the advanced format of `script`.
  const rows = readFileSync(`${SOURCE}.timing`, 'utf8').replace(/^(?=\d)/gm, 'O ');
  const output = [...rows.matchAll(/^O [\d.]+ (\d+)$/gm)].reduce((sum, row) => sum + Number(row[1]), 0);
  const begin = source.indexOf('\n') + 1;
  const turns = Math.ceil(recordingBytes / output);
  const body = source.subarray(begin, begin + output);
  const files = { typescript: join(world.dir, 'template.typescript'), timing: join(world.dir, 'template.timing') };
  writeFileSync(
    files.typescript,
    Buffer.concat([source.subarray(0, begin), ...Array.from({ length: turns }, () => body)]),
  );
  writeFileSync(files.timing, rows.repeat(turns));
  return files;
}
