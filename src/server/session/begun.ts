import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { changeByReport, reportOfProcess } from './reports.ts';
import type { SessionStatus } from './session-status.ts';

/** The session whose turn has ended. */
export interface SessionInTurn {
  readonly record: SessionRecord;
  readonly status: Pick<SessionStatus, 'evidence'>;
}

/**
 * Returns how a delivered prompt, or a turn that has ended, changes the record of a session whose hooks report nothing;
 * null if it changes nothing. A wrapper may drop the hooks of CBOS, and the user's own settings may turn all hooks off.
 * Both then show that the conversation has begun, and the process shows in which account. The beginning of a turn does
 * not: Claude Code draws the first prompt of a launch before the first hook reports (2.1.330). Events report both for a
 * JSON session.
 */
export function changeByTurn({ record, status }: SessionInTurn): Partial<SessionRecord> | null {
  if (record.type !== 'screen' || status.evidence().hooks.lastAt !== null) return null;
  return changeByReport(record, { ...reportOfProcess(record), isBegun: true, isSilent: true });
}
