import { statSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { homeFault } from './home-fault.ts';

/** The condition of the database in a home. */
export type DatabaseHealth =
  | { kind: 'missing' }
  | { kind: 'sound' }
  /**
   * the database cannot be read at the moment, for example because the server has opened it exclusively on a full disk
   */
  | { kind: 'unreadable'; what: string }
  | { kind: 'damaged'; what: string };

/** Checks a whole database without changing it. The check takes about a second per gigabyte. */
export function checkDatabaseFile(file: string): DatabaseHealth {
  const size = sizeOf(file);
  if (size === null) return { kind: 'missing' };
  if (size === 0 && (sizeOf(`${file}-wal`) ?? 0) === 0) return { kind: 'damaged', what: 'it is empty' };
  let database: InstanceType<typeof DatabaseSync> | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const [first] = database.prepare('PRAGMA quick_check(1)').all();
    const said = String(first?.quick_check ?? 'no answer');
    return said === 'ok' ? { kind: 'sound' } : { kind: 'damaged', what: said.split('\n').at(-1) ?? said };
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    return homeFault(cause) === 'database_damaged' ? { kind: 'damaged', what } : { kind: 'unreadable', what };
  } finally {
    database?.close();
  }
}

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}
