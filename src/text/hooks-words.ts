import type { Session } from '../protocol/index.ts';

/** Returns a note that no hook reports what a session does, or an empty string if the hooks report. */
export function silentHooksText({ hooks_silent: isSilent }: Pick<Session, 'hooks_silent'>): string {
  if (isSilent !== true) return '';
  return 'no hook reports, so the status comes only from the screen';
}
