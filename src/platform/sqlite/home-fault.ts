import { CatalogueError } from '../../protocol/index.ts';
import { filesLimit, isFilesLimit } from '../process/start-fault.ts';

/** Why the files of a home cannot be written or read, as a code from the error catalogue. */
export type HomeFault = 'disk_full' | 'home_read_only' | 'database_damaged';

/**
 * The result codes in sqlite3.h. The errors of `node:sqlite` have an extended code in `errcode`, whose low byte is one
 * of these.
 */
const BY_SQLITE: Readonly<Record<number, HomeFault>> = {
  8: 'home_read_only', // SQLITE_READONLY
  11: 'database_damaged', // SQLITE_CORRUPT
  13: 'disk_full', // SQLITE_FULL
  26: 'database_damaged', // SQLITE_NOTADB
};
/**
 * The fixed messages of sqlite3_errstr. They are needed because errors from `all()` have no code
 * (@photostructure/sqlite 1.2.1).
 */
const BY_SENTENCE: Readonly<Record<string, HomeFault>> = {
  'attempt to write a readonly database': 'home_read_only',
  'database disk image is malformed': 'database_damaged',
  'database or disk is full': 'disk_full',
  'file is not a database': 'database_damaged',
};
/**
 * The system error that caused an SQLITE_IOERR or SQLITE_CANTOPEN. Nothing else reveals that a disk has become
 * read-only.
 */
const BY_ERRNO: Readonly<Record<number, HomeFault>> = {
  28: 'disk_full', // ENOSPC
  30: 'home_read_only', // EROFS
  122: 'disk_full', // EDQUOT
};
const BY_CODE: Readonly<Record<string, HomeFault>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'home_read_only',
};

/** Returns the fault in the home's disk or database that caused an error, or null if the error has another cause. */
export function homeFault(error: unknown): HomeFault | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode, systemErrno } = error as Error & { code?: unknown; errcode?: unknown; systemErrno?: unknown };
  return (
    BY_SQLITE[Number(errcode) & 0xff] ??
    BY_ERRNO[Number(systemErrno)] ??
    BY_CODE[String(code)] ??
    (code === 'ERR_SQLITE_ERROR' ? BY_SENTENCE[error.message] : undefined) ??
    homeFault(error.cause)
  );
}

/**
 * Converts an error into a catalogue error if it was caused by the home's disk or database, or by the limit on open
 * files. Any other error is returned unchanged.
 */
export function toHomeError(error: unknown): unknown {
  if (error instanceof CatalogueError) return error;
  if (isFilesLimit(error)) return filesLimit(error);
  const fault = homeFault(error);
  return fault === null ? error : new CatalogueError(fault, undefined, { cause: error });
}
