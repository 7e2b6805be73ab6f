import type { DeliveryStatus, Schedule, ScheduleLaunch, ScheduleReason, ScheduleRun } from '../protocol/index.ts';

const REASONS: Readonly<Record<ScheduleReason, string>> = {
  missed: 'the scheduled time had passed',
  overlapping: 'the previous prompt was still waiting',
  working: 'the session of the previous run was still working or asking',
  paused: 'the schedule was paused',
  over_budget: 'a budget was reached',
  refused: 'the session refused the prompt',
};

const DELIVERED: Readonly<Record<DeliveryStatus, string>> = {
  queued: 'waits until the session is ready',
  sent: 'not confirmed yet',
  delivered: '',
  unknown: 'CBOS stopped while sending the prompt',
  cancelled: 'the prompt was taken back',
  failed: 'the prompt did not arrive',
};

/** Describes the outcome of a run, such as `skipped: it was paused`. */
export function runText({
  outcome,
  reason,
  error,
  delivery_status: status = null,
}: Pick<ScheduleRun, 'outcome' | 'reason' | 'error'> & Partial<Pick<ScheduleRun, 'delivery_status'>>): string {
  // A newer server may send words that this version does not know.
  const why = error ?? (reason === null ? '' : (REASONS[reason] ?? reason));
  if (why !== '') return `${outcome}: ${why}`;
  const delivered = status === null ? '' : (DELIVERED[status] ?? '');
  return delivered === '' ? outcome : `${outcome}: ${delivered}`;
}

/**
 * Says what started a run, unless it was one of the schedule's own times. An older server does not send `triggered_by`.
 */
export function startedByText({ by_hand: byHand, triggered_by: by }: StartedBy): string {
  if (by === 'webhook') return 'by webhook';
  return byHand ? 'by hand' : '';
}

type StartedBy = Pick<ScheduleRun, 'by_hand'> & Partial<Pick<ScheduleRun, 'triggered_by'>>;

/** Says what the user must know about a new trigger's secret, which is shown only this once. */
export const TRIGGER_SECRET_TEXT = 'Copy the secret now: CBOS does not show it again';

/**
 * Formats one of a schedule's times as local time, such as `Tue 2026-11-24 07:00`. If the time in the schedule's own
 * zone differs, it is added: `Tue 2026-11-24 01:00 (07:00 Europe/Berlin)`.
 * @param localZone the user's time zone
 */
export function scheduleTimeText(at: string, zone: string, localZone: string): string {
  const local = inZone(at, localZone);
  const there = inZone(at, zone);
  if (local === null) return at;
  const here = `${local.day} ${local.time}`;
  if (there === null || zone === localZone || (there.day === local.day && there.time === local.time)) return here;
  return `${here} (${there.day === local.day ? '' : `${there.day} `}${there.time} ${zone})`;
}

/** Returns null if this machine does not know the time zone. */
function inZone(at: string, timeZone: string): { day: string; time: string } | null {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    }).formatToParts(new Date(at));
    const of = (type: Intl.DateTimeFormatPartTypes): string => parts.find((part) => part.type === type)?.value ?? '';
    return {
      day: `${of('weekday')} ${of('year')}-${of('month')}-${of('day')}`,
      time: `${of('hour')}:${of('minute')}`,
    };
  } catch {
    return null;
  }
}

/** Returns the user's time zone. */
export function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * Says which session receives the prompts, such as `CI`, `a new NIGHTLY-N each time`, or `(deleted)`. An older server
 * does not send `launch`.
 */
export function receiverText({ session, launch = null }: Pick<Schedule, 'session'> & Partial<Schedule>): string {
  return launch === null ? (session ?? '(deleted)') : `a new session ${launch.name}-N each time`;
}

/**
 * Describes how a schedule's sessions are launched, such as `in /src/shop, own worktree, opus, #night, 5 stay listed`.
 */
export function launchFacts({ path, worktree, model, tags, keep, overlap }: ScheduleLaunch): string {
  return [
    `in ${path}`,
    ...(worktree === undefined ? [] : ['own worktree']),
    ...(model === undefined ? [] : [model]),
    ...(tags ?? []).map((tag) => `#${tag}`),
    ...(keep === undefined ? [] : [`${keep} stay listed`]),
    ...(overlap === 'launch' ? ['even while the previous one is working'] : []),
  ].join(', ');
}
