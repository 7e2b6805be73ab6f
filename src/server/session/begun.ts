import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { changeByReport, reportOfProcess } from './reports.ts';

/**
 * Returns how a turn changes the record of a session whose hooks report nothing; null if it changes nothing. A wrapper
 * may drop the hooks of CBOS, and the user's own settings may turn all hooks off. The turn then shows that the
 * conversation has begun, and the process shows in which account. Events report both for a JSON session.
 */
export function changeByTurn(
  record: Pick<SessionRecord, 'type' | 'hooks' | 'claudeSessionId' | 'path' | 'reported' | 'agent'>,
): Partial<SessionRecord> | null {
  if (record.type !== 'screen' || record.hooks !== null) return null;
  return changeByReport(record, { ...reportOfProcess(record), isBegun: true });
}
