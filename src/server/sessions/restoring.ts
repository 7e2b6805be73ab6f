import { v7 as uuid } from 'uuid';
import { MOST_FAILURES, restoresAtOnce } from '../../core/restore/pace.ts';
import type { RestorePlan } from '../../core/restore/plan.ts';
import {
  CatalogueError,
  type ErrorBody,
  type Loss,
  type NewRestoration,
  type Restoration,
  type RestoreOutcome,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { OtherSessions } from '../session/other-sessions.ts';
import { toTimestamp } from '../session/view.ts';

/** A session that may be lost. */
export interface Restorable {
  actor: Pick<SessionActor, 'slug' | 'record'>;
  controls: Pick<SessionControls, 'planRestore' | 'restore'>;
}

/**
 * Restores lost sessions, a few at a time. Only one restoration runs at a time; a further request adds sessions to the
 * running restoration.
 */
export interface Restoring {
  /** Plans a restoration, and begins it unless only the plan was requested. @throws CatalogueError no_such_session */
  ask(request: NewRestoration): Promise<Restoration>;
  /** Begins to restore all lost sessions. The server calls this when it starts. Failures are logged. */
  begin(): Promise<void>;
  state(): Restoration;
  /** Prevents any further launches of lost sessions. */
  dispose(): void;
}

export interface RestoringOptions {
  listed: { all(): Restorable[]; get(slug: string): Restorable };
  machine(): { cores: number; load: number };
  clock: Clock;
  log: Logger;
}

interface Entry {
  member: Restorable;
  plan: RestorePlan;
  lost: Loss | null;
  outcome: RestoreOutcome;
  error: ErrorBody | null;
  isByItself: boolean;
}

interface Run {
  id: string;
  startedAt: number;
  state: 'running' | 'done' | 'stopped';
  isByItself: boolean;
  entries: Entry[];
  failuresInRow: number;
}

const NOTHING: Restoration = { id: null, state: 'none', by_itself: false, started_at: null, sessions: [] };

export function createRestoring({ listed, machine, clock, log }: RestoringOptions): Restoring {
  let run: Run | null = null;
  let isDisposed = false;

  async function plan(slugs: readonly string[] | undefined, isByItself: boolean): Promise<Entry[]> {
    const members =
      slugs === undefined
        ? listed.all().filter(({ actor }) => actor.record.loss !== null)
        : [...new Set(slugs)].map((slug) => listed.get(slug));
    const entries = await Promise.all(members.map((member) => entryOf(member, isByItself)));
    // The most recently used sessions are restored first.
    return entries.sort((one, other) => lastActivity(other) - lastActivity(one));
  }

  /**
   * Adds sessions to the running restoration, or begins one. A session that is already being restored is not added
   * again.
   */
  function take(entries: readonly Entry[], isByItself: boolean): Run {
    if (run?.state !== 'running') {
      const startedAt = clock.now();
      run = { id: uuid(), startedAt, state: 'running', isByItself, entries: [], failuresInRow: 0 };
    }
    const underWay = new Set(run.entries.filter(isOpen).map(({ member }) => member.actor));
    run.entries = [
      ...run.entries.filter((one) => isOpen(one) || !entries.some(({ member }) => member.actor === one.member.actor)),
      ...entries.filter(({ member }) => !underWay.has(member.actor)),
    ];
    goOn(run);
    return run;
  }

  function goOn(current: Run): void {
    if (isDisposed || current.failuresInRow >= MOST_FAILURES) giveUp(current);
    // After a failed launch, sessions are launched only one at a time until a launch succeeds.
    const most = (): number => (current.failuresInRow > 0 ? 1 : restoresAtOnce(machine()));
    let under = current.entries.filter(({ outcome }) => outcome === 'restoring').length;
    for (const entry of current.entries) {
      if (entry.outcome !== 'planned') continue;
      if (under >= most()) return;
      under += 1;
      entry.outcome = 'restoring';
      void restore(current, entry);
    }
    if (under === 0 && current.state === 'running') finish(current);
  }

  async function restore(current: Run, entry: Entry): Promise<void> {
    const { member, isByItself } = entry;
    try {
      entry.plan = await member.controls.restore(isByItself);
      entry.outcome = entry.plan.kind === 'left' ? 'left' : 'restored';
      if (entry.outcome === 'restored') current.failuresInRow = 0;
    } catch (cause) {
      entry.outcome = 'failed';
      entry.error = bodyOf(cause);
      // If the launch failed only because somebody has opened the conversation elsewhere, other launches may still
      // succeed.
      if (entry.error.code !== 'session_in_use') current.failuresInRow += 1;
      log.error({ slug: member.actor.slug, err: cause }, 'a lost session could not be restored');
    }
    goOn(current);
  }

  function giveUp(current: Run): void {
    for (const entry of current.entries) if (entry.outcome === 'planned') entry.outcome = 'not_tried';
  }

  function finish(current: Run): void {
    const counts: Partial<Record<RestoreOutcome, number>> = {};
    for (const { outcome } of current.entries) counts[outcome] = (counts[outcome] ?? 0) + 1;
    current.state = counts.not_tried === undefined ? 'done' : 'stopped';
    if (current.state === 'stopped') log.error(counts, 'the restoration was stopped because launches kept failing');
    else log.info(counts, 'lost sessions were restored');
  }

  return {
    ask: async ({ sessions, dry_run: isDry }) => {
      const entries = await plan(sessions, false);
      if (isDry === true) return { ...NOTHING, state: 'planned', sessions: entries.map(viewEntry) };
      return viewRun(take(entries, false));
    },
    begin: async () => {
      try {
        const entries = await plan(undefined, true);
        if (entries.length > 0) take(entries, true);
      } catch (cause) {
        log.error({ err: cause }, 'lost sessions could not be restored');
      }
    },
    state: () => (run === null ? NOTHING : viewRun(run)),
    dispose: () => {
      isDisposed = true;
      if (run !== null) giveUp(run);
    },
  };
}

async function entryOf(member: Restorable, isByItself: boolean): Promise<Entry> {
  const plan = await member.controls.planRestore(isByItself);
  const lost = member.actor.record.loss?.because ?? null;
  return { member, plan, lost, outcome: plan.kind === 'left' ? 'left' : 'planned', error: null, isByItself };
}

const lastActivity = ({ member: { actor } }: Entry): number => actor.record.lastActivity ?? 0;
const isOpen = ({ outcome }: Entry): boolean => outcome === 'planned' || outcome === 'restoring';

function bodyOf(cause: unknown): ErrorBody {
  return (cause instanceof CatalogueError ? cause : new CatalogueError('internal')).toBody();
}

function viewRun({ id, state, isByItself, startedAt, entries }: Run): Restoration {
  return {
    id,
    state,
    by_itself: isByItself,
    started_at: toTimestamp(startedAt),
    sessions: entries.map(viewEntry),
  };
}

function viewEntry({ member, plan, lost, outcome, error }: Entry): Restoration['sessions'][number] {
  return {
    session: member.actor.slug,
    outcome,
    lost,
    how: plan.kind === 'left' ? null : plan.kind,
    reason: plan.kind === 'left' ? plan.because : null,
    error,
  };
}

/** Which other session of this home has a session's conversation. */
export function conversationOwners(
  sessions: () => readonly { readonly actor: SessionActor }[],
): Pick<OtherSessions, 'isShared' | 'ownerOf'> {
  return {
    isShared: (actor) => isConversationShared(sessions(), actor),
    ownerOf: (conversation, { record: own }) => {
      const owner = sessions().find(
        ({ actor: { record, isChangingHands } }) =>
          record.id !== own.id &&
          record.claudeSessionId === conversation &&
          (record.endedAt === null || record.parkedAt !== null || isChangingHands),
      );
      return owner?.actor.slug ?? null;
    },
  };
}

/**
 * Reports whether another session owns this session's conversation, which happens when a person has opened the
 * conversation there. The owner is the session that is alive or parked or, if both sessions are lost, the session that
 * was used last.
 */
export function isConversationShared(
  sessions: readonly { readonly actor: Pick<SessionActor, 'record' | 'isChangingHands'> }[],
  { record: own }: Pick<SessionActor, 'record'>,
): boolean {
  const rank = ({ lastActivity: at, id }: typeof own): string => `${String(at ?? 0).padStart(16, '0')} ${id}`;
  return sessions.some(({ actor: { record, isChangingHands } }) => {
    if (record.id === own.id || own.claudeSessionId === null || record.claudeSessionId !== own.claudeSessionId)
      return false;
    if (record.endedAt === null || record.parkedAt !== null || isChangingHands) return true;
    return record.loss !== null && rank(record) > rank(own);
  });
}
