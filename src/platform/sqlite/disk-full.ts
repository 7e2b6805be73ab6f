/** SQLITE_FULL of sqlite3.h; the errors of `node:sqlite` carry it as `errcode`. */
const SQLITE_FULL = 13;

/** Whether something failed because there is no room for it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === SQLITE_FULL || isDiskFull(error.cause);
}
