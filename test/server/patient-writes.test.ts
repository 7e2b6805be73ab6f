import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/platform/sqlite/database.ts';
import { createPatientWrites, type PatientWrites } from '../../src/server/session/patient-writes.ts';
import { ManualClock } from '../harness/manual-clock.ts';

const silent = (): void => undefined;
const log = { debug: silent, info: silent, warn: silent, error: silent };
const LONG = 'x'.repeat(200_000);

let database: Database;
let clock: ManualClock;
let writes: PatientWrites;
beforeEach(() => {
  database = openDatabase(':memory:');
  database.exec('CREATE TABLE notes (text TEXT)');
  clock = new ManualClock();
  writes = createPatientWrites(clock, log);
});
afterEach(() => database.close());

/** Leaves no room for long texts. SQLite's own limit fails in the same way as a full disk. */
const fill = (): void => database.exec(`PRAGMA max_page_count = ${pages() + 2}`);
const pages = (): number => Number(database.prepare('PRAGMA page_count').get()?.page_count);
const note = (text: string) => () => void database.prepare('INSERT INTO notes VALUES (?)').run(text);
const notes = (): string[] =>
  database
    .prepare('SELECT substr(text, 1, 1) AS t FROM notes')
    .all()
    .map(({ t }) => String(t));

test('writes for which there is no room are kept in order, and done when there is some', () => {
  fill();
  writes.write(note(`1${LONG}`));
  writes.write(note('2'));
  expect(notes()).toEqual([]);
  clock.advance(10_000);
  expect(notes()).toEqual([]);
  database.exec('PRAGMA max_page_count = 100000');
  clock.advance(10_000);
  expect(notes()).toEqual(['1', '2']);
  writes.write(note('3'));
  expect(notes()).toEqual(['1', '2', '3']);
});

test('the end of the server makes a last attempt', () => {
  fill();
  writes.write(note(`1${LONG}`));
  database.exec('PRAGMA max_page_count = 100000');
  writes.dispose();
  expect(notes()).toEqual(['1']);
});

test('another fault is not retried', () => {
  expect(() => writes.write(() => database.exec('INSERT INTO absent VALUES (1)'))).toThrow('no such table');
});
