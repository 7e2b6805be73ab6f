import { isContinueCancelled } from '../../platform/claude/index.ts';
import type { Settings } from '../../protocol/index.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { followBudgets } from '../budgets/follow-budgets.ts';
import { indexMissedEvents } from '../json/index-events.ts';
import { continueAfterLimits, limitedSession } from '../limits/continue-after-limits.ts';
import type { ActorDeps } from '../session/actor.ts';
import { COUNT_EVERY_MS } from '../session/time-spent.ts';
import type { Dispose } from '../sessions.ts';
import { parkIdle } from './park-idle.ts';
import type { Roster } from './roster.ts';

/** Starts the background work on the listed sessions. @returns a function that stops the work */
export function startFleetWork({
  deps,
  roster,
  settings,
  budgets,
}: {
  deps: ActorDeps;
  roster: Roster;
  settings: Settings;
  budgets: Budgets;
}): Dispose {
  const { clock, log } = deps;
  const stops = [
    parkIdle({ roster, clock, log, afterSeconds: settings.parking_after }),
    continueAfterLimits({
      policy: settings.limits_then,
      floorPercent: settings.limits_floor,
      sessions: () => roster.all().map((member) => limitedSession(member, isContinueCancelled)),
      onEvent: deps.onEvent,
      clock,
      log,
    }),
    followBudgets({ roster, budgets }),
    countTimes(deps, roster),
  ];
  for (const { actor } of roster.all()) if (actor.record.type === 'json') void catchUpSearch(deps, actor.record.id);
  return () => {
    for (const stop of stops) stop();
  };
}

/** Regularly counts the time that sessions spend in an unchanged status. A change of status is counted right away. */
function countTimes({ clock }: ActorDeps, roster: Roster): Dispose {
  let stop: Dispose = () => undefined;
  const count = (): void => {
    for (const { actor } of roster.all()) actor.time.count();
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
