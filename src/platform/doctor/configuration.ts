import { configDirectory, configDirectoryOfProcess } from '../claude/index.ts';
import type { AskedSession } from './context.ts';

/** Returns the configuration directories of Claude Code: the user's own, and those that wrappers have chosen. */
export function configDirectoriesOf(
  environment: Parameters<typeof configDirectory>[0],
  sessions: readonly AskedSession[],
): string[] {
  const chosen = sessions.flatMap(({ pid }) => (pid === null ? [] : (configDirectoryOfProcess(pid) ?? [])));
  return [...new Set([configDirectory(environment), ...chosen])];
}
