import { reportsDirectory, watchReports } from '../../platform/claude/index.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import type { ListedSessions } from './listed-sessions.ts';

interface FollowFigures {
  listed: Pick<ListedSessions, 'all' | 'byLaunch'>;
  spoolDir: string;
  log: Logger;
}

/**
 * Passes the reports of Claude Code's status line on to the terminal sessions, including reports from the time when no
 * server was running.
 */
export function followFigures({ listed, spoolDir, log }: FollowFigures): Dispose {
  return watchReports({
    dir: reportsDirectory(spoolDir),
    launches: () =>
      listed
        .all()
        .flatMap(({ actor: { record } }) =>
          record.type === 'screen' && record.launchId !== null ? [record.launchId] : [],
        ),
    onReport: (launchId, report) => listed.byLaunch(launchId)?.actor.intake.seeStatusLine(launchId, report),
    onError: (cause) => log.error({ err: cause }, 'the reports of the status lines could not be read'),
  });
}
