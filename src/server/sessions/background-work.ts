import { isContinueCancelled } from '../../platform/claude/index.ts';
import type { Settings } from '../../protocol/index.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { followBudgets } from '../budgets/follow-budgets.ts';
import { indexMissedEvents } from '../json/index-events.ts';
import { continueAfterLimits, limitedSession } from '../limits/continue-after-limits.ts';
import type { ActorDeps } from '../session/actor.ts';
import { COUNT_EVERY_MS } from '../session/time-spent.ts';
import type { Dispose } from '../sessions.ts';
import type { ListedSessions } from './listed-sessions.ts';
import { parkIdle } from './park-idle.ts';

/** Starts the background work on the listed sessions. @returns a function that stops the work */
export function startBackgroundWork({
  deps,
  listed,
  settings,
  budgets,
}: {
  deps: ActorDeps;
  listed: ListedSessions;
  settings: Settings;
  budgets: Budgets;
}): Dispose {
  const { clock, log } = deps;
  const stops = [
    parkIdle({ listed, clock, log, afterSeconds: settings.parking_after }),
    continueAfterLimits({
      policy: settings.limits_then,
      floorPercent: settings.limits_floor,
      sessions: () => listed.all().map((member) => limitedSession(member, isContinueCancelled)),
      onEvent: deps.onEvent,
      clock,
      log,
    }),
    followBudgets({ listed, budgets }),
    countTimes(deps, listed),
  ];
  for (const { actor } of listed.all()) if (actor.record.type === 'json') void catchUpSearch(deps, actor.record.id);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Regularly counts the time that sessions spend in an unchanged status. A change of status is counted right away. */
function countTimes({ clock }: ActorDeps, listed: ListedSessions): Dispose {
  let stop: Dispose = () => undefined;
  const count = (): void => {
    for (const { actor } of listed.all()) actor.time.count();
    stop = clock.after(COUNT_EVERY_MS, count);
  };
  count();
  return () => stop();
}

async function catchUpSearch(deps: ActorDeps, id: string): Promise<void> {
  try {
    await indexMissedEvents(deps, id);
  } catch (cause) {
    deps.log.warn({ err: cause, id }, "a session's older events cannot be searched");
  }
}
