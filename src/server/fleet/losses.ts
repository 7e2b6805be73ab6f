import { type EndSeen, hasEndedItself, lossOf } from '../../core/restore/loss.ts';
import type { LostSession, SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * How long before its own end a server may see sessions end for the same reason. At a shutdown, all processes of a
 * login get their signals within milliseconds of each other. Claude Code ends up to 2 s later if a tool is running.
 */
const CLOSING_MS = 5_000;

/** The session whose end is being judged. */
interface Ended {
  readonly actor: Pick<SessionActor, 'slug' | 'record' | 'isDead' | 'isChangingHands' | 'update' | 'intake'> & {
    readonly status: Pick<SessionActor['status'], 'evidence'>;
    readonly recording: Pick<NonNullable<SessionActor['recording']>, 'size'> | null;
  };
}

/** Decides which ended sessions are lost, and stores the decision. */
export interface Losses {
  /** Call this before searching for the sessions of the previous server. */
  remember(): void;
  /** Call this when the operating system reports an end. */
  seeEnd(actor: Ended['actor'], screen: EndSeen['screen']): void;
  /** Call this once all evidence from the time when no server was running has arrived. */
  judgeFound(): void;
  /** Call this when a person gives up a session, so that it is never restored automatically. */
  forget(actor: Pick<Ended['actor'], 'record' | 'update'>): void;
  /** Call this as the last thing before the server ends. */
  judgeLast(): void;
}

export function createLosses(options: { roster: { all(): Ended[] }; clock: Clock; log: Logger }): Losses {
  const { roster, clock, log } = options;
  /** the sessions that the previous server left alive; null once they have been judged */
  let found: Map<Ended['actor'], EndSeen['screen']> | null = null;
  const boot = (): string => clock.setting().boot;

  function judge(actor: Ended['actor'], screen: EndSeen['screen'], noticed: EndSeen['noticed']): void {
    const { record } = actor;
    if (record.type !== 'screen' || record.endedAt === null || record.loss !== null || actor.isChangingHands) return;
    const { hooks } = actor.status.evidence();
    const because = lossOf({
      isAsked: isAsked(record),
      noticed,
      reason: hooks.ended?.reason ?? null,
      hasHooks: hooks.lastAt !== null,
      hasRebooted: record.boot === null || boot() === '' ? null : record.boot !== boot(),
      screen,
    });
    if (because === null) return;
    const { cols, rows } = actor.recording?.size() ?? record.launch;
    const loss: LostSession = { because, tries: 0, wasBlank: wasBlank(actor) };
    // A person may have changed the size of the terminal since the launch.
    actor.update({ loss, launch: { ...record.launch, cols, rows } });
  }

  /** Ends a session whose launch was begun by a server that was then killed, and which has no process. */
  function endUnborn(actor: Ended['actor']): void {
    const { type, endedAt, agent, screenId, launchId } = actor.record;
    if (type !== 'screen' || endedAt !== null || agent !== null || screenId !== null || launchId === null) return;
    actor.intake.seeEnd();
  }

  return {
    remember: () => {
      found = new Map(
        roster
          .all()
          .filter(({ actor }) => !actor.isDead())
          .map(({ actor }) => [actor, 'gone']),
      );
    },
    seeEnd: (actor, screen) => {
      if (found === null) judge(actor, screen, 'at_once');
      else if (found.has(actor)) found.set(actor, screen);
    },
    judgeFound: () => {
      for (const [actor, screen] of found ?? []) {
        endUnborn(actor);
        judge(actor, screen, 'at_start');
      }
      found = null;
      const lost: string[] = [];
      for (const { actor } of roster.all()) {
        const { type, boot: known } = actor.record;
        if (type === 'screen' && !actor.isDead() && known !== boot()) actor.update({ boot: boot() });
        // The session's SessionEnd may have arrived after the previous server judged it.
        const { ended } = actor.status.evidence().hooks;
        if (actor.record.loss !== null && hasEndedItself(ended?.reason ?? null)) actor.update({ loss: null });
        if (actor.record.loss !== null) lost.push(actor.slug);
      }
      if (lost.length > 0) log.warn({ slugs: lost }, 'sessions were lost; `cbos restore` brings them back');
    },
    forget: (actor) => {
      if (actor.record.loss !== null) actor.update({ loss: null, stopAskedAt: clock.now() });
    },
    judgeLast: () => {
      const since = clock.now() - CLOSING_MS;
      for (const { actor } of roster.all()) if ((actor.record.endedAt ?? 0) >= since) judge(actor, 'gone', 'at_close');
    },
  };
}

const isAsked = ({ stopAskedAt, removedAt, parkedAt }: SessionRecord): boolean =>
  stopAskedAt !== null || removedAt !== null || parkedAt !== null;

/**
 * Reports whether the session was lost before its first prompt. In that case, hooks report only its start, or nothing.
 */
function wasBlank({ record, status }: Ended['actor']): boolean {
  if (record.agent === null) return record.claudeSessionId === null;
  const { started, prompt } = status.evidence().hooks;
  return started !== null && (started.source === 'startup' || started.source === 'clear') && prompt === null;
}
