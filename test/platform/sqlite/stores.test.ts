import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/core/delivery/record.ts';
import { openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createDeliveryStore } from '../../../src/platform/sqlite/delivery-store.ts';
import { createHistoryStore } from '../../../src/platform/sqlite/history-store.ts';
import { readLockHolder, takeHomeLock } from '../../../src/platform/sqlite/home-lock.ts';
import { createLabelStore } from '../../../src/platform/sqlite/label-store.ts';
import { MIGRATIONS } from '../../../src/platform/sqlite/migrations/index.ts';
import { NOTHING_REPORTED } from '../../../src/platform/sqlite/reported.ts';
import { createSessionStore, type SessionRecord } from '../../../src/platform/sqlite/session-store.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

let home: string;
beforeEach(() => {
  home = makeTemporaryFolder();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const record: SessionRecord = {
  id: 'id-1',
  slug: 'AUTH',
  path: '/srv/auth',
  type: 'screen',
  adopted: true,
  createdAt: 1_000,
  launch: {
    args: ['--verbose'],
    env: { A: 'b' },
    permission_mode: null,
    model: 'opus',
    max_budget_usd: null,
    trusted_folder: null,
    cols: 160,
    rows: 45,
  },
  launchId: 'launch-1',
  screenId: '12.AUTH',
  window: '0',
  daemon: { pid: 12, startTime: '98' },
  agent: { pid: 13, startTime: '99' },
  claudeSessionId: 'c-1',
  claudeVersion: '2.1.329',
  recording: { typescript: '/s/AUTH.typescript', timing: '/s/AUTH.timing' },
  endedAt: null,
  lastActivity: 2_000,
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
  shown: [{ id: 'q', also: ['p'], call: 'c', drawn: { looks: 'l', openedAt: 1.5 }, isAsked: true }],
  typed: null,
  removedAt: null,
  hooks: { last: 'Stop' },
};

/** The number of steps of the schema before a code replaced the text of a note. */
const BEFORE_CODES = MIGRATIONS.findIndex((step) => step.includes('ADD COLUMN phase'));

describe('the database of a home', () => {
  test('keeps everything when it is closed and opened again', () => {
    const file = join(home, 'cbos.db');
    const first = openDatabase(file);
    createSessionStore(first).save(record);
    first.close();
    const second = openDatabase(file);
    expect(createSessionStore(second).all()).toEqual([record]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    second.close();
  });

  test('a changed session is stored in place, and a removed one loses its history and deliveries', () => {
    const database = openDatabase(':memory:');
    const sessions = createSessionStore(database);
    const history = createHistoryStore(database);
    const deliveries = createDeliveryStore(database);
    sessions.save(record);
    sessions.save({ ...record, slug: 'LOGIN', endedAt: 5 });
    expect(sessions.all().map((session) => [session.slug, session.endedAt])).toEqual([['LOGIN', 5]]);
    history.append('id-1', {
      at: '2026-01-01T00:00:00.000Z',
      primary: 'idle',
      detail: 'ready',
      state: 'idle',
      health: 'ALIVE',
      because: { source: 'screen', rule: 'r', evidence: 'e' },
    });
    deliveries.save(delivery('d-1', 10));
    sessions.remove('id-1');
    expect(history.read('id-1', null)).toEqual([]);
    expect(deliveries.list('id-1')).toEqual([]);
    database.close();
  });

  test('tags, repository and archive of a session are kept, replaced, and removed with it', () => {
    const kept = { tags: ['night', 'web'], repository: '/srv/auth', archivedAt: 1_000.5 };
    const first = openDatabase(join(home, 'cbos.db'));
    createSessionStore(first).save(record);
    createLabelStore(first).save(record.id, { tags: [], repository: null, archivedAt: null });
    createLabelStore(first).save(record.id, kept);
    first.close();
    const again = openDatabase(join(home, 'cbos.db'));
    expect([...createLabelStore(again).all()]).toEqual([[record.id, kept]]);
    createSessionStore(again).remove(record.id);
    expect(createLabelStore(again).all().size).toBe(0);
    again.close();
  });

  test('deliveries are found by key, by status in order of acceptance, and newest first', () => {
    const database = openDatabase(':memory:');
    createSessionStore(database).save(record);
    const deliveries = createDeliveryStore(database);
    deliveries.save({ ...delivery('d-1', 10), idempotencyKey: 'k' });
    deliveries.save(delivery('d-2', 20));
    expect(deliveries.byKey('id-1', 'k')?.id).toBe('d-1');
    expect(deliveries.byKey('id-1', 'other')).toBeNull();
    expect(deliveries.withStatus('id-1', 'queued').map((item) => item.id)).toEqual(['d-1', 'd-2']);
    expect(deliveries.list('id-1').map((item) => item.id)).toEqual(['d-2', 'd-1']);
    deliveries.save({ ...delivery('d-1', 10), phase: 'taken', updatedAt: 30 });
    expect(deliveries.recent('id-1', 1).map((item) => item.id)).toEqual(['d-1']);
    database.close();
  });

  test('notes of a former version become phases; a text that was removed from the prompt after a crash has failed', () => {
    const file = join(home, 'cbos.db');
    const old = new DatabaseSync(file);
    for (const step of MIGRATIONS.slice(0, BEFORE_CODES)) old.exec(step);
    old.exec(`PRAGMA user_version = ${BEFORE_CODES}`);
    const sessions =
      "INSERT INTO sessions (id, slug, adopted, created_at, launch, screen_window) VALUES ('s', 'S', 1, 1, '{}', '0')";
    old.exec(sessions);
    const insert = old.prepare("INSERT INTO deliveries VALUES (?, 's', 'text', 0, ?, 1, 1, 0, NULL, ?, 1)");
    insert.run('queue', 'delivered', 'Typed during a turn, into the queue of Claude Code');
    insert.run('cleared', 'unknown', 'It stood in the prompt unsent and was taken out again; it did not arrive');
    insert.run('error', 'failed', 'Screen has no session 1.S');
    insert.run('sent', 'sent', null);
    insert.run('held', 'queued', null);
    old.close();
    const database = openDatabase(file);
    const deliveries = createDeliveryStore(database);
    const become = (id: string) => {
      const { phase, intoQueue, held, reason } = deliveries.get('s', id) ?? delivery('none', 0);
      return [phase, intoQueue, held, reason];
    };
    expect(become('queue')).toEqual(['taken', true, false, null]);
    expect(become('cleared')).toEqual(['cleared', false, false, null]);
    expect(become('error')).toEqual(['failed', false, false, 'Screen has no session 1.S']);
    expect(become('sent')).toEqual(['entering', false, false, null]);
    expect(become('held')).toEqual(['held', false, true, null]);
    database.close();
  });

  test('a database of a newer version is refused and stays unchanged', () => {
    const file = join(home, 'cbos.db');
    const database = openDatabase(file);
    database.exec('PRAGMA user_version = 999');
    database.close();
    expect(() => openDatabase(file)).toThrow(/update CBOS/);
  });
});

describe('one server per home', () => {
  test('a second server is refused until the first one releases the lock', () => {
    const first = takeHomeLock(home);
    expect(first).not.toBeNull();
    expect(takeHomeLock(home)).toBeNull();
    first?.describe({ pid: 1, started_at: 'now', version: '1', address: null, screen_dir: '/s' });
    expect(readLockHolder(home)?.pid).toBe(1);
    first?.release();
    const again = takeHomeLock(home);
    expect(again).not.toBeNull();
    again?.release();
  });

  test('a holder that was killed no longer holds anything', async () => {
    const script = `
      const { DatabaseSync } = require('@photostructure/sqlite');
      const database = new DatabaseSync(process.argv[1]);
      database.exec('BEGIN EXCLUSIVE');
      console.log('held');
      setInterval(() => database.isOpen, 1000);`;
    const holder = spawn(process.execPath, ['-e', script, join(home, 'server.lock')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(holder.stdout, 'data');
    expect(takeHomeLock(home)).toBeNull();
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const lock = takeHomeLock(home);
    expect(lock).not.toBeNull();
    lock?.release();
  });
});

function delivery(id: string, createdAt: number): DeliveryRecord {
  return {
    id,
    sessionId: 'id-1',
    text: 'hi',
    command: false,
    phase: 'held',
    intoQueue: false,
    createdAt,
    updatedAt: createdAt,
    removed: 0,
    idempotencyKey: null,
    held: false,
    reason: null,
    sender: null,
  };
}
