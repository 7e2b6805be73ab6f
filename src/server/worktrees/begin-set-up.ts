import { type SetUpCommand, setUpExitCode } from '../../platform/claude/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, isSetUpDue, maySkipSetUp, type Session } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import { requireWorktree } from './require-worktree.ts';
import type { SetUps } from './set-ups.ts';

/**
 * Decides before a launch whether the set-up of the session's worktree must run first. The files that name the set-up
 * are read again, because the user may have corrected or trusted the command since the last launch.
 * @returns the change to the session's record; null if there is no change
 * @throws CatalogueError invalid_setting
 */
export async function planDueSetUp(
  setUps: Pick<SetUps, 'plan'>,
  { launch }: Pick<SessionRecord, 'launch'>,
): Promise<Pick<SessionRecord, 'launch'> | null> {
  const { worktree } = launch;
  if (worktree?.set_up === undefined || !isSetUpDue(worktree.set_up)) return null;
  const { set_up: _, ...without } = worktree;
  const planned = await setUps.plan(worktree.repository);
  if (planned === null) return { launch: { ...launch, worktree: without } };
  const set_up = planned.state === 'pending' ? { ...planned, state: 'running' as const } : planned;
  return { launch: { ...launch, worktree: { ...worktree, set_up } } };
}

/** Returns the set-up that runs at the beginning of the next launch; null if none does. */
export function setUpToRun({ slug, launch }: Pick<SessionRecord, 'slug' | 'launch'>): SetUpCommand | null {
  const { worktree } = launch;
  if (worktree?.set_up?.state !== 'running') return null;
  const { command, after_failure: after } = worktree.set_up;
  const advice =
    after === 'start'
      ? 'Claude Code starts anyway'
      : `Claude Code was not started. \`cbos restart ${slug}\` runs the set-up again, \`cbos worktrees skip ${slug}\` skips it`;
  return { command, folder: worktree.path, startsAnyway: after === 'start', advice };
}

/** The part of a session that is needed to record the end of its set-up. */
export interface SetUpSession {
  readonly intake: Pick<EvidenceIntake, 'seeSetUp'>;
}

/** Records that a set-up has ended. @param report the set-up's report, which contains its exit code */
export function seeSetUpEnd({ intake }: SetUpSession, report: Readonly<Record<string, unknown>>): void {
  const code = setUpExitCode(report);
  intake.seeSetUp(code === 0 ? { state: 'done', exit_code: null } : { state: 'failed', exit_code: code });
}

/** @throws CatalogueError no_worktree, no_set_up */
export function skipSetUp(actor: SessionActor): Session {
  const worktree = requireWorktree(actor.slug, actor.record.launch.worktree);
  const { set_up: setUp } = worktree;
  if (setUp === undefined || !maySkipSetUp(setUp, { isDead: actor.isDead() })) {
    throw new CatalogueError('no_set_up', `${actor.slug} has no set-up left to run`);
  }
  actor.intake.seeSetUp({ state: 'skipped' });
  return actor.view();
}
