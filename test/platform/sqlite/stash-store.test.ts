import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { MIGRATIONS } from '../../../src/platform/sqlite/migrations/index.ts';
import { NOTHING_REPORTED } from '../../../src/platform/sqlite/reported.ts';
import { createSessionStore, type SessionStore } from '../../../src/platform/sqlite/session-store.ts';
import { createStashStore, type StashRecord, type StashStore } from '../../../src/platform/sqlite/stash-store.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

let home: string;
let database: Database;
let sessions: SessionStore;
let stash: StashStore;
beforeEach(() => {
  home = makeTemporaryFolder();
  open();
  sessions.save({
    id: 's',
    slug: 'AUTH',
    path: null,
    type: 'screen',
    adopted: true,
    createdAt: 1,
    launch: {
      args: [],
      env: {},
      permission_mode: null,
      model: null,
      max_budget_usd: null,
      trusted_folder: null,
      cols: 80,
      rows: 24,
    },
    launchId: null,
    screenId: null,
    window: '0',
    daemon: null,
    agent: null,
    claudeSessionId: null,
    claudeVersion: null,
    recording: null,
    endedAt: null,
    lastActivity: null,
    lastQuestion: null,
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
    typed: null,
    removedAt: null,
    hooks: null,
  });
});
afterEach(() => {
  database.close();
  rmSync(home, { recursive: true, force: true });
});

function open(): void {
  database = openDatabase(join(home, 'cbos.db'));
  sessions = createSessionStore(database);
  stash = createStashStore(database);
}

const kept = (id: string, createdAt: number): StashRecord => ({
  id,
  sessionId: 's',
  response: `reply ${id}`,
  question: null,
  when: 'next_waiting',
  createdAt,
  appliedAt: null,
  deliveryId: null,
});

describe('the stash in the database', () => {
  test('is complete and in order after the file was opened again', () => {
    stash.add(kept('b', 20));
    stash.add({ ...kept('a', 10), question: 'Which?', when: 'manual' });
    database.close();
    open();
    expect(stash.list('s')).toEqual([{ ...kept('a', 10), question: 'Which?', when: 'manual' }, kept('b', 20)]);
    expect(stash.get('s', 'b')).toEqual(kept('b', 20));
    expect(stash.get('other', 'b')).toBeNull();
  });

  test('applies a reply once: the second time nothing is recorded', () => {
    stash.add(kept('a', 10));
    let journalled = 0;
    const apply = (id: string): boolean => stash.apply({ id, appliedAt: 30, deliveryId: 'd' }, () => journalled++);
    expect([apply('a'), apply('a'), apply('none')]).toEqual([true, false, false]);
    expect(journalled).toBe(1);
    expect(stash.get('s', 'a')).toMatchObject({ appliedAt: 30, deliveryId: 'd' });
  });

  test('keeps a reply whose delivery could not be recorded', () => {
    stash.add(kept('a', 10));
    const fail = (): never => {
      throw new Error('the disk is full');
    };
    expect(() => stash.apply({ id: 'a', appliedAt: 30, deliveryId: 'd' }, fail)).toThrow('the disk is full');
    expect(stash.get('s', 'a')?.appliedAt).toBeNull();
  });

  test('is removed with its session', () => {
    stash.add(kept('a', 10));
    sessions.remove('s');
    expect(stash.list('s')).toEqual([]);
  });

  test('is added to a database of the previous version, which keeps its sessions', () => {
    const step = MIGRATIONS.findIndex((sql) => sql.includes('CREATE TABLE stash'));
    database.exec(`DROP TABLE stash; PRAGMA user_version = ${step}`);
    const later = MIGRATIONS.slice(step + 1);
    const dropped = new Set(
      later.flatMap((sql) => [...sql.matchAll(/DROP COLUMN (\w+)/g)].map(([, column]) => column)),
    );
    for (const sql of [...later].reverse()) {
      for (const [, trigger] of sql.matchAll(/CREATE TRIGGER (\w+)/g)) database.exec(`DROP TRIGGER ${trigger}`);
      for (const [, index] of sql.matchAll(/CREATE INDEX (\w+)/g)) database.exec(`DROP INDEX ${index}`);
      for (const [, table] of sql.matchAll(/CREATE (?:VIRTUAL )?TABLE (\w+)/g)) database.exec(`DROP TABLE ${table}`);
      for (const [, table, column] of sql.matchAll(/ALTER TABLE (\w+) ADD COLUMN (\w+)/g)) {
        if (!dropped.has(column)) database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`);
      }
    }
    database.close();
    open();
    stash.add(kept('a', 10));
    expect(sessions.all().map(({ slug }) => slug)).toEqual(['AUTH']);
  });
});
