import { type EndSeen, hasEndedItself, lossOf } from '../../core/restore/loss.ts';
import type { LostSession, SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * Sessions that end within this time before the server itself ends are assumed to end for the same reason. At a
 * shutdown, all processes of a login get their signals within milliseconds. Claude Code takes up to 2 s longer to end
 * if a tool is running.
 */
const CLOSING_MS = 5_000;

/** A session that has ended and may be lost. */
interface Ended {
  readonly actor: Pick<SessionActor, 'slug' | 'record' | 'isDead' | 'isChangingHands' | 'update' | 'intake'> & {
    readonly status: Pick<SessionActor['status'], 'evidence'>;
    readonly recording: Pick<NonNullable<SessionActor['recording']>, 'size'> | null;
  };
}

/** Decides which ended sessions are lost, and stores the decision. */
export interface Losses {
  /** Remembers which sessions the previous server left alive. Call this before searching for their processes. */
  remember(): void;
  /** Call this when a session's process is found to have ended. */
  seeEnd(actor: Ended['actor'], screen: EndSeen['screen']): void;
  /** Call this once all evidence from the time when no server was running has arrived. */
  judgeFound(): void;
  /** Call this when a person gives up a session. The session is then never restored automatically. */
  forget(actor: Pick<Ended['actor'], 'record' | 'update'>): void;
  /** Call this last, just before the server ends. */
  judgeLast(): void;
}

export function createLosses(options: { listed: { all(): Ended[] }; clock: Clock; log: Logger }): Losses {
  const { listed, clock, log } = options;
  /** the sessions that the previous server left alive; null once it is decided which of them are lost */
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
      // A hook that reports the end without a reason does not tell who ended the session.
      hasHooks: hooks.lastAt !== null && hooks.ended?.reason !== null,
      hasRebooted: record.boot === null || boot() === '' ? null : record.boot !== boot(),
      screen,
    });
    if (because === null) return;
    const { cols, rows } = actor.recording?.size() ?? record.launch;
    const loss: LostSession = { because, tries: 0, wasBlank: wasBlank(actor) };
    // The current size is saved, because a person may have resized the terminal since the launch.
    actor.update({ loss, launch: { ...record.launch, cols, rows } });
  }

  /**
   * Marks a session as ended if its launch was begun by a server that was then killed, and no process of the launch
   * exists.
   */
  function endUnborn(actor: Ended['actor']): void {
    const { type, endedAt, agent, screenId, launchId } = actor.record;
    if (type !== 'screen' || endedAt !== null || agent !== null || screenId !== null || launchId === null) return;
    actor.intake.seeEnd();
  }

  return {
    remember: () => {
      found = new Map(
        listed
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
      for (const { actor } of listed.all()) {
        const { type, boot: known } = actor.record;
        if (type === 'screen' && !actor.isDead() && known !== boot()) actor.update({ boot: boot() });
        // The session's SessionEnd hook may have arrived only after the previous server had counted the session as
        // lost.
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
      for (const { actor } of listed.all()) if ((actor.record.endedAt ?? 0) >= since) judge(actor, 'gone', 'at_close');
    },
  };
}

const isAsked = ({ stopAskedAt, removedAt, parkedAt }: SessionRecord): boolean =>
  stopAskedAt !== null || removedAt !== null || parkedAt !== null;

/**
 * Reports whether the session was lost before its first prompt. In that case, the hooks have reported at most the
 * session's start.
 */
function wasBlank({ record, status }: Ended['actor']): boolean {
  if (record.agent === null) return record.claudeSessionId === null;
  const { started, prompt } = status.evidence().hooks;
  return started !== null && (started.source === 'startup' || started.source === 'clear') && prompt === null;
}
