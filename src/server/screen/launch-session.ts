import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { v4 as uuid } from 'uuid';
import {
  choosesConversation,
  chosenConversation,
  continuingArguments,
  resumedConversation,
} from '../../core/launch/index.ts';
import {
  buildLaunch,
  claudeVersion,
  configDirectory,
  findNamedConversations,
  findNewestConversation,
  formatClaudeVersion,
  LAUNCH_VARIABLE,
  LAUNCHING_VARIABLE,
  launchSettingsFile,
  readOwnSettings,
  readStatusLine,
  resolveClaude,
  sessionEnvironment,
  tapStatusLine,
  withSetUp,
  writeHookSettings,
} from '../../platform/claude/index.ts';
import { listWorktrees } from '../../platform/git/repository.ts';
import type { GitPlace } from '../../platform/git/run-git.ts';
import { launch, type ScreenHost } from '../../platform/gnu-screen/index.ts';
import type { ProcessId } from '../../platform/process/index.ts';
import { ensureRecordingDir, markOwn, rotateRecording } from '../../platform/recorder/index.ts';
import type { Reported } from '../../platform/sqlite/reported.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, PermissionMode, type Settings } from '../../protocol/index.ts';
import { launchFolder, reportedAtLaunch, requireWholeConversation } from '../session/session-conversation.ts';
import type { RecordingFiles } from '../session/session-recording.ts';
import { setUpToRun } from '../worktrees/begin-set-up.ts';
import { requireLaunchFolders } from '../worktrees/require-there.ts';
import type { SetUps } from '../worktrees/set-ups.ts';

export interface LaunchContext {
  settings: Settings;
  /** the environment of the server's own process; sessions inherit part of it */
  environment: Readonly<Record<string, string | undefined>>;
  screen: ScreenHost;
  spoolDir: string;
  /** the set-ups that prepare new worktrees */
  setUps: SetUps;
}

/** What the caller does before Claude Code is started. */
export interface LaunchListeners {
  /** called if the launch begins a new conversation, which has cost nothing yet */
  onNewConversation(): void;
  /** called with the id of the conversation that the user's arguments continue; throws if it must not be continued */
  onChosen(id: string): Promise<void>;
  /** called with what the launch asks Claude Code for; the first report may come before Screen has answered */
  onPlanned(planned: PlannedLaunch): void;
}

/** The fields of a session's record that a launch changes. */
export interface Launched {
  screenId: string;
  daemon: ProcessId;
  agent: ProcessId;
  claudeVersion: string;
  recording: RecordingFiles;
}

/** The conversation that a launch asks Claude Code for. */
export interface PlannedLaunch {
  claudeSessionId: string | null;
  reported: Reported;
}

/**
 * Starts Claude Code for a session, and continues the session's earlier conversation if there is one. The previous
 * recording is moved aside. A failed launch leaves nothing behind, but the previous recording stays moved aside.
 * @throws CatalogueError no_such_path, no_such_conversation, path_too_long, claude_not_found, screen_not_found,
 * launch_failed
 */
export async function launchSession(
  context: LaunchContext,
  record: SessionRecord,
  { onNewConversation, onChosen, onPlanned }: LaunchListeners,
): Promise<Launched> {
  const { settings, environment, screen } = context;
  const launchId = record.launchId ?? uuid();
  const env = sessionEnvironment(environment, {
    launchId,
    spool: context.spoolDir,
    extra: record.launch.env,
    worktree: record.launch.worktree,
    alternateScreen: settings.claude_alternate_screen,
  });
  const program = resolveClaude(settings.claude_command, env.PATH ?? '');
  const version = await claudeVersion(program, env);
  const conversation = await requireWholeConversation(record, environment, uuid());
  await requireLaunchFolders(environment, record);
  const cwd = await launchFolder(record, conversation, version);
  const own = await readOwnSettings(record.launch.args, cwd);
  const statusLine = tapStatusLine(version, await readStatusLine({ env, cwd, own }), settings.status_line_tap);
  const mayContinue = settings.limits_then === 'native' || settings.limits_then === 'resume';
  const settingsFile = launchSettingsFile(settings.home, version, { statusLine, mayContinue, own });
  writeHookSettings(settingsFile, version, { statusLine, mayContinue, own });
  const permissionMode = PermissionMode.safeParse(record.launch.permission_mode);
  // Arguments that choose a conversation, and a prompt among them, count only until the session has its own.
  const args = conversation.kind === 'resume' ? continuingArguments(record.launch.args) : record.launch.args;
  if (conversation.kind === 'new' && !choosesConversation(args)) onNewConversation();
  const chosen = await chosenIn({ configDir: configDirectory(env), cwd, args, environment });
  if (chosen !== null) await onChosen(chosen);
  const command = buildLaunch({
    program,
    version,
    settingsFile,
    conversation,
    args,
    ...(permissionMode.success ? { permissionMode: permissionMode.data } : {}),
    ...(record.launch.model === null ? {} : { model: record.launch.model }),
  });

  await ensureRecordingDir(settings.stream_dir);
  await rotateRecording(settings.stream_dir, record.slug);
  const recording = recordingFiles(settings.stream_dir, record.slug);
  const setUp = setUpToRun(record);
  const resumed = command.sessionId === null ? resumedConversation(args) : null;
  const reported = reportedAtLaunch(record, conversation);
  onPlanned({
    claudeSessionId: command.sessionId ?? resumed,
    reported: resumed === null ? reported : { ...reported, asked: 'resume' },
  });
  const launched = await launch(screen, {
    name: record.slug,
    cwd,
    env,
    cols: record.launch.cols,
    rows: record.launch.rows,
    ...(setUp === null
      ? { command: command.argv }
      : { command: withSetUp(command.argv, setUp), launchingVariable: LAUNCHING_VARIABLE }),
    recording: { ...recording, flush: settings.stream_flush },
    mark: { name: LAUNCH_VARIABLE, value: launchId },
  });
  await markOwn(recording.typescript);
  return {
    screenId: launched.screenId,
    daemon: launched.daemon,
    agent: launched.agent,
    claudeVersion: formatClaudeVersion(version),
    recording,
  };
}

export function recordingFiles(streamDir: string, slug: string): RecordingFiles & { timing: string } {
  return { typescript: join(streamDir, `${slug}.typescript`), timing: join(streamDir, `${slug}.timing`) };
}

/**
 * Returns the id of the conversation that a user's arguments continue, as far as CBOS can tell. If several
 * conversations have the name in the arguments, or none has it, Claude Code shows its list.
 */
async function chosenIn(place: {
  configDir: string;
  cwd: string;
  args: readonly string[];
  environment: LaunchContext['environment'];
}): Promise<string | null> {
  const chosen = chosenConversation(place.args);
  if (chosen === null || chosen.kind === 'id') return chosen?.id ?? null;
  const cwd = await realpath(place.cwd);
  if (chosen.kind === 'newest') return findNewestConversation({ ...place, cwd });
  const worktrees = await worktreePaths({ cwd, environment: place.environment });
  const [named, ...more] = await findNamedConversations({ ...place, cwd, worktrees, name: chosen.name });
  return more.length > 0 ? null : (named ?? null);
}

async function worktreePaths(place: GitPlace): Promise<string[]> {
  try {
    return (await listWorktrees(place)).map(({ path }) => path);
  } catch (error) {
    // Outside a repository, and without git, Claude Code looks only in the folder itself.
    if (error instanceof CatalogueError) return [];
    throw error;
  }
}
