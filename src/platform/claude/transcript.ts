import { join } from 'node:path';
import { configDirectory } from './registry.ts';

/**
 * Where Claude Code writes a conversation down: `projects/CWD/SESSION_ID.jsonl` in its configuration directory, with every character of
 * the working directory that is no letter or digit turned into `-` (seen on 1.0.128 to 2.1.329). It appears with the first prompt.
 */
export function transcriptPath(options: {
  /** real path of the working directory */
  cwd: string;
  sessionId: string;
  env: Parameters<typeof configDirectory>[0];
}): string {
  const folder = options.cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
  return join(configDirectory(options.env), 'projects', folder, `${options.sessionId}.jsonl`);
}
