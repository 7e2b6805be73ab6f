import { configDirectoryOfProcess, hasRegistry, readRegistryOf, registriesOf } from '../../platform/claude/index.ts';
import { findClaudeBelow } from '../../platform/gnu-screen/index.ts';
import { argvOf, waitUntil } from '../../platform/process/index.ts';
import { notContinued, notContinuedError } from '../session/continued.ts';
import { type Report, sourceIn } from '../session/reports.ts';
import type { AgentRun } from './agent-run.ts';
import type { DrivenSession, JsonContext } from './context.ts';

/**
 * How long to wait until a process names its conversation in the registry. This takes 0.2 s (2.1.330), and longer on a
 * loaded machine. With a version that has no registry, the first turn shows which conversation it is.
 */
const NAMED_MS = 10_000;
/** Each look reads the process tree. */
const LOOK_MS = 30;

/**
 * Ensures that a new process continues the conversation that it was to continue, before it gets a prompt. Claude Code
 * reads prompts only after it has named the conversation, so this takes no time.
 * @param isOver reports whether the process has ended, which the prompt's own error then explains
 * @throws CatalogueError another_conversation
 */
export async function requireContinued(
  { registryDir }: Pick<JsonContext, 'registryDir'>,
  session: DrivenSession,
  { run, isOver }: { run: AgentRun; isOver: () => boolean },
): Promise<void> {
  const { asked } = session.record.reported;
  if (asked === null || run.isSettingUp || !hasRegistry(session.record.claudeVersion)) return;
  const report = await waitUntil(async () => (isOver() ? {} : reportOf(run, registryDir, asked)), {
    timeoutMs: NAMED_MS,
    everyMs: LOOK_MS,
  });
  if (report === null || isOver()) return;
  session.intake.seeReport(report);
  if (notContinued(session.record) !== null) throw notContinuedError(session);
}

/** Returns what the registry says about a process; null until it says something. */
async function reportOf({ process }: AgentRun, registryDir: string, asked: 'resume' | 'fork'): Promise<Report | null> {
  const claude = await findClaudeBelow(process);
  if (claude === null) return null;
  const chosen = configDirectoryOfProcess(claude.pid);
  for (const dir of registriesOf(claude.pid, registryDir)) {
    const found = await readRegistryOf(dir, claude.pid);
    if (found?.sessionId == null) continue;
    return {
      sessionId: found.sessionId,
      ...(chosen === null ? {} : { configDir: chosen }),
      ...sourceIn(argvOf(claude.pid), asked),
    };
  }
  return null;
}
