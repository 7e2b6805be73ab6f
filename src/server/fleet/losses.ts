import { type EndSeen, hasEndedItself, lossOf } from '../../core/restore/loss.ts';
import type { LostSession, SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * How long before its own end a server may have seen the ends of sessions that ended together with it. At a shutdown,
 * all processes of a login get their signals within milliseconds; Claude Code ends up to 2 s later while a tool runs.
 */
const CLOSING_MS = 5_000;

/** The session whose end is judged. */
interface Ended {
  readonly actor: Pick<SessionActor, 'slug' | 'record' | 'isDead' | 'isChangingHands' | 'update' | 'intake'> & {
    readonly status: Pick<SessionActor['status'], 'evidence'>;
    readonly recording: Pick<NonNullable<SessionActor['recording']>, 'size'> | null;
  };
}

/** Tells which of the sessions that ended are lost, and remembers it. */
export interface Losses {
  /** Call this before the sessions of the last server are looked for. */
  remember(): void;
  /** The operating system has told of an end. */
  seeEnd(actor: Ended['actor'], screen: EndSeen['screen']): void;
  /** Call this once all evidence of the time without a server is in. */
  judgeFound(): void;
  /** A person wants it gone: nothing brings it back by itself. */
  forget(actor: Pick<Ended['actor'], 'record' | 'update'>): void;
  /** Call this as the last thing before the server ends. */
  judgeLast(): void;
}

export function createLosses(options: { roster: { all(): Ended[] }; clock: Clock; log: Logger }): Losses {
  const { roster, clock, log } = options;
  /** the sessions that the last server left alive; null once they are judged */
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
    // A person may have changed its size since the launch.
    actor.update({ loss, launch: { ...record.launch, cols, rows } });
  }

  /** A launch that a killed server had begun, and of which there is no process. */
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
        // Its SessionEnd may have come after the last server had judged.
        const { ended } = actor.status.evidence().hooks;
        if (actor.record.loss !== null && hasEndedItself(ended?.reason ?? null)) actor.update({ loss: null });
        if (actor.record.loss !== null) lost.push(actor.slug);
      }
      if (lost.length > 0) log.warn({ slugs: lost }, 'sessions are lost: `cbos restore` brings them back');
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

/** Whether it was lost before its first prompt: the hooks tell of its start, or it never got that far. */
function wasBlank({ record, status }: Ended['actor']): boolean {
  if (record.agent === null) return record.claudeSessionId === null;
  const { started, prompt } = status.evidence().hooks;
  return started !== null && (started.source === 'startup' || started.source === 'clear') && prompt === null;
}
