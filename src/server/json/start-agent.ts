import { realpath } from 'node:fs/promises';
import { v4 as uuid } from 'uuid';
import { continuingArguments, withoutSettings } from '../../core/launch/index.ts';
import type { StatusMemory, TrustRequest } from '../../core/status/index.ts';
import {
  actingFiles,
  claudeVersion,
  formatClaudeVersion,
  isFolderTrusted,
  readOwnSettings,
  resolveClaude,
  sessionEnvironment,
  withJsonSetUp,
  writeGuardedSettings,
} from '../../platform/claude/index.ts';
import { JSON_ENVIRONMENT, jsonCommand, jsonFiles, startJsonProcess } from '../../platform/claude/json/index.ts';
import type { ProcessId } from '../../platform/process/index.ts';
import type { Reported } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, PermissionMode } from '../../protocol/index.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { launchFolder, reportedAtLaunch, requireWholeConversation } from '../session/session-conversation.ts';
import { setUpToRun } from '../worktrees/begin-set-up.ts';
import { requireLaunchFolders } from '../worktrees/require-there.ts';
import type { JsonContext } from './context.ts';

export interface AgentLaunch {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  claudeSessionId: string;
  claudeVersion: string;
  reported: Reported;
  /**
   * whether Claude Code shows its tool calls to CBOS before running them, provided that its version supports the hook
   */
  isGuarded: boolean;
}

/**
 * Checks when a session is created whether Claude Code can be started at all. Without this check, a problem would show
 * up only at the first prompt, because no process is started before that.
 * @throws CatalogueError claude_not_found, invalid_request for an environment variable that cannot be set
 */
export function requireStartable(context: JsonContext, record: SessionRecord): void {
  const env = environmentOf(context, record, '');
  resolveClaude(context.settings.claude_command, env.PATH ?? '');
}

/**
 * Returns the question that a person must answer before Claude Code is started in the session's folder. Returns null if
 * the user already trusts the folder, either through Claude Code's own dialog or through an answer in this session.
 * @throws CatalogueError no_such_path
 */
export async function trustToAsk(context: JsonContext, record: SessionRecord): Promise<TrustToAsk | null> {
  await requireLaunchFolders(context.environment, record);
  const folder = await folderOf(record);
  if (record.launch.trusted_folder === folder) return null;
  if (await isFolderTrusted(environmentOf(context, record, ''), folder)) return null;
  return { folder, files: await actingFiles(folder) };
}

/**
 * Returns the folder in which Claude Code is started, with links resolved. Therefore the folder that is used is the one
 * that was checked, even if a link changes in between.
 * @throws CatalogueError no_such_path
 */
export async function folderOf(record: SessionRecord): Promise<string> {
  return realpath(await requireDirectory(record.path ?? ''));
}

type TrustToAsk = Pick<TrustRequest, 'folder' | 'files'>;

function environmentOf(context: JsonContext, record: SessionRecord, launchId: string): Record<string, string> {
  const base = sessionEnvironment(context.environment, {
    launchId,
    spool: context.spoolDir,
    extra: record.launch.env,
    worktree: record.launch.worktree,
    alternateScreen: context.settings.claude_alternate_screen,
  });
  return { ...base, ...JSON_ENVIRONMENT };
}

/**
 * Plans the launch of a session. The launch continues the session's conversation if Claude Code has saved it.
 * @throws CatalogueError no_such_path, no_such_conversation, claude_not_found, launch_failed
 */
export async function planLaunch(context: JsonContext, record: SessionRecord, launchId: string): Promise<AgentLaunch> {
  const { settings } = context;
  const { launch } = record;
  const env = environmentOf(context, record, launchId);
  const program = resolveClaude(settings.claude_command, env.PATH ?? '');
  const version = await claudeVersion(program, env);
  const conversation = await requireWholeConversation(record, context.environment, uuid());
  const cwd = await realpath(await launchFolder(record, conversation, version));
  const isGuarded = context.areCallsGuarded();
  // A session that was in a terminal before may have arguments that chose its conversation.
  const args = continuingArguments(launch.args);
  const own = await readOwnSettings(args, cwd);
  const settingsFile = isGuarded ? writeGuardedSettings(settings.home, version, own) : null;
  const argv = jsonCommand({
    program,
    settingsFile,
    conversation,
    permissionMode: PermissionMode.safeParse(launch.permission_mode).data ?? 'default',
    model: launch.model,
    maxBudgetUsd: launch.max_budget_usd,
    // Without settings of CBOS, Claude Code reads those of the user itself.
    args: settingsFile === null ? args : withoutSettings(args),
  });
  const setUp = setUpToRun(record);
  return {
    ...{
      argv: setUp === null ? argv : withJsonSetUp(argv, setUp),
      env,
      cwd,
      claudeSessionId: conversation.sessionId,
      reported: reportedAtLaunch(record, conversation),
      claudeVersion: formatClaudeVersion(version),
    },
    isGuarded,
  };
}

/** Starts a planned launch. @throws CatalogueError launch_failed */
export function startAgent(
  context: JsonContext,
  launch: AgentLaunch & { launchId: string },
  onExit: (end: { code: number | null; signal: string | null }) => void,
): Promise<ProcessId> {
  const { argv, cwd, env } = launch;
  return startJsonProcess({ argv, cwd, env, files: jsonFiles(context.jsonDir, launch.launchId), onExit });
}

/** The facts about a session that appear in the error about an untrusted folder. */
interface AskedSession {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'path'>;
  readonly status: { memory(): Pick<StatusMemory, 'question'> };
}

/**
 * Returns the error for a prompt to a session whose folder the user has not trusted yet. The error contains the
 * question.
 */
export function untrusted({ record, slug, status }: AskedSession): CatalogueError {
  const { question } = status.memory();
  return new CatalogueError('untrusted_folder', `The folder ${record.path} isn't trusted yet`, {
    hint: `\`cbos answer ${slug} yes\` trusts it; \`cbos show ${slug}\` shows the question`,
    ...(question === null ? {} : { extra: { question } }),
  });
}
