import type { SessionRecord } from '../../platform/sqlite/session-store.ts';

/** Works like `placeOf`, but for a session's record: returns the folder in which the session works now. */
export const placeOfRecord = ({ path, reported }: Pick<SessionRecord, 'path' | 'reported'>): string | null =>
  reported.place ?? path;
