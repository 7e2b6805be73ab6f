import { onWatchLimit } from '../platform/files/watch-directory.ts';
import type { Logger } from './logger.ts';
import type { Dispose } from './sessions.ts';

/** Logs, once for each limit, that CBOS cannot watch a directory, and how to raise the limit. */
export function reportWatchLimit(log: Pick<Logger, 'warn'>): Dispose {
  const reported = new Set<string>();
  return onWatchLimit((setting) => {
    if (reported.has(setting)) return;
    reported.add(setting);
    const cure = `raise it: \`sudo sysctl ${setting}=…\`; \`cbos doctor\` shows how much is in use`;
    log.warn({ setting, cure }, `the limit ${setting} is reached: CBOS checks directories four times a second instead`);
  });
}
