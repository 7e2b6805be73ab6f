import { setUpFailedText } from '../../core/status/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isSetUpDue } from '../../protocol/index.ts';

/** Returns why Claude Code was not started, if that was because the set-up failed; null otherwise. */
export function setUpFailure({ launch }: Pick<SessionRecord, 'launch'>): string | null {
  const setUp = launch.worktree?.set_up;
  if (setUp === undefined || !isSetUpDue(setUp) || (setUp.state !== 'failed' && setUp.state !== 'running')) return null;
  return setUpFailedText({ exitCode: setUp.exit_code });
}

/** Returns the error for a request that cannot be carried out because the set-up failed; null if it did not fail. */
export function failedSetUp({ slug, record }: FailingSession): CatalogueError | null {
  const why = setUpFailure(record);
  if (why === null) return null;
  const again = record.type === 'screen' ? `\`cbos restart ${slug}\`` : 'the next prompt';
  return new CatalogueError('set_up_failed', `${slug}: ${why}`, {
    hint: `\`cbos logs ${slug}\` shows its output; ${again} runs it again, \`cbos worktrees skip ${slug}\` skips it`,
  });
}

interface FailingSession {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'type' | 'launch'>;
}
