import { v4 as uuid } from 'uuid';
import { nameWorktree, planArguments, refusedArgument } from '../../core/launch/index.ts';
import { readOwnSettings } from '../../platform/claude/index.ts';
import { CatalogueError, type NewSession, PermissionMode, type SessionType } from '../../protocol/index.ts';

/**
 * Refuses arguments for Claude Code that would break a session of this type.
 * @throws CatalogueError argument_refused, invalid_settings
 */
export async function checkArguments(type: SessionType, args: readonly string[], cwd: string): Promise<void> {
  const refused = refusedArgument(type, args);
  if (refused !== null) {
    throw new CatalogueError('argument_refused', `CBOS does not start Claude Code with ${refused.argument}`, {
      hint: refused.cure,
      extra: { argument: refused.argument },
    });
  }
  await readOwnSettings(args, cwd);
}

/**
 * Takes those of the user's arguments as options of the request that CBOS passes to Claude Code itself. An option of
 * the request wins over an argument.
 */
export function withPlannedArguments<T extends NewSession & { type: SessionType }>(request: T): T {
  const { args = [], permission_mode } = request;
  const planned = planArguments(args);
  const mode = PermissionMode.safeParse(planned.permission_mode);
  // CBOS does not know this mode, so Claude Code gets it unchanged.
  if (planned.permission_mode !== undefined && !mode.success) return request;
  return {
    ...planned,
    ...request,
    args: nameWorktree(planned.args, worktreeName(request.slug)),
    ...(permission_mode === undefined && mode.success ? { permission_mode: mode.data } : {}),
  };
}

/** Claude Code accepts names of up to 64 characters (2.1.330). */
const MOST_NAME_CHARS = 48;

/** Returns the name of a worktree for which the user has given none. An earlier worktree never has the same name. */
const worktreeName = (slug: string): string => `${slug.slice(0, MOST_NAME_CHARS)}-${uuid().slice(0, 8)}`;
