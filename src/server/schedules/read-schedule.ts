import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isCommand } from '../../core/delivery/decide.ts';
import { NEVER, readTimes, type ScheduleTimes } from '../../core/schedules/times.ts';
import type { ScheduleRecord } from '../../platform/sqlite/schedule-store.ts';
import { CatalogueError, type ScheduleLaunch } from '../../protocol/index.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';

/** How many of a schedule's next times a person sees before saving it: enough to notice a wrong day or hour. */
const SHOWN_TIMES = 5;

/** @throws CatalogueError invalid_schedule for a pattern that cannot be parsed, or that matches no time */
export function requireTimes(cron: string, timezone: string, now: number): ScheduleTimes {
  const times = readTimes(cron, timezone);
  if (typeof times === 'string') throw new CatalogueError('invalid_schedule', `${cron}: ${times}`);
  if (times.after(now) === null && cron.trim() !== NEVER)
    throw new CatalogueError('invalid_schedule', `${cron}: no date ever matches this pattern`);
  return times;
}

export function nextTimes(times: ScheduleTimes, now: number): number[] {
  const found: number[] = [];
  for (let at = times.after(now); at !== null && found.length < SHOWN_TIMES; at = times.after(at)) found.push(at);
  return found;
}

/** @throws CatalogueError command_prefix */
export function requirePrompt(prompt: string): void {
  if (isCommand(prompt)) {
    throw new CatalogueError('command_prefix', undefined, {
      hint: 'Change the prompt: a schedule cannot send a command',
    });
  }
}

/**
 * Returns the receiver of a schedule's prompts: an existing session, or a new session for each run. A folder that does
 * not exist is refused here. If a folder disappears later, only the runs at that time fail.
 * @throws CatalogueError no_such_session, no_such_path
 */
export function requireReceiver(
  sessions: Pick<ScheduledSessions, 'named'>,
  { session, launch }: { session?: string | undefined; launch?: ScheduleLaunch | undefined },
): Pick<ScheduleRecord, 'sessionId' | 'launch'> {
  if (launch !== undefined) {
    if (!isAbsolute(launch.path) || !existsSync(launch.path)) {
      throw new CatalogueError('no_such_path', `The directory ${JSON.stringify(launch.path)} does not exist`);
    }
    return { sessionId: '', launch };
  }
  const found = sessions.named().find((one) => one.name === session);
  if (found !== undefined) return { sessionId: found.id, launch: null };
  throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(session)}`);
}
