import { type DetailRow, rowOf, type Status } from '../../protocol/index.ts';

/** The conditions that end a snooze. The snooze ends as soon as one of them is met. Times are in Unix milliseconds. */
export interface SnoozeRule {
  since: number;
  until: number | null;
  untilAsks: boolean;
  untilTurnEnds: boolean;
  /** session ids, which are used because names change */
  untilEnds: readonly string[];
}

/**
 * Records whether the user has looked at a session. The record uses counters, because times would be out of order after
 * the clock is set.
 */
export interface Attended {
  /** how many turns have ended and how many questions have appeared, in total */
  news: number;
  /** how many of those events the user has looked at */
  seen: number;
  /** whether the user marked the session as unread */
  isMarked: boolean;
  /** whether a turn was running when CBOS last knew the status */
  turnRuns: boolean;
  /** the last question that was counted, or UNNAMED if its identity is unknown */
  asked: string | null;
  snooze: SnoozeRule | null;
}

export const UNATTENDED: Attended = {
  news: 0,
  seen: 0,
  isMarked: false,
  turnRuns: false,
  asked: null,
  snooze: null,
};

/** Represents an open question whose identity is unknown. The ids that Claude Code uses are never empty. */
const UNNAMED = '';

/**
 * An event in a session that a snooze may wait for. `failed` always comes together with `turn_ended`. `ended` means
 * that the process has ended.
 */
export type Happening = 'asked' | 'turn_ended' | 'failed' | 'ended';

type Told = Pick<Status, 'primary' | 'detail'> & {
  question: Pick<NonNullable<Status['question']>, 'id' | 'kind'> | null;
};

/** @returns a result whose `after` is the same object as `before` if nothing has changed */
export function observeStatus(before: Attended, status: Told): { after: Attended; happened: Happening[] } {
  const { after, happened } = observe(before, status);
  return { after: keepSame(before, after), happened };
}

function observe(before: Attended, status: Told): { after: Attended; happened: Happening[] } {
  const row = rowOf(status);
  switch (status.primary) {
    case 'active':
    case 'stuck':
      return {
        after: { ...before, turnRuns: true, asked: before.asked === UNNAMED ? null : before.asked },
        happened: [],
      };
    case 'waiting':
      return row.ends === undefined ? observeQuestion(before, status.question) : observeEnd(before, row);
    case 'idle':
      return observeEnd(before, row);
    case 'dead': {
      const news = before.news + (before.turnRuns ? 1 : 0);
      return { after: { ...before, turnRuns: false, news }, happened: ['ended'] };
    }
    default:
      // The state before anything is known, for example right after the server has started.
      return { after: before, happened: [] };
  }
}

function observeEnd(before: Attended, { group, ends }: Partial<DetailRow>): { after: Attended; happened: Happening[] } {
  if (!before.turnRuns) return { after: before, happened: [] };
  const after = { ...before, turnRuns: false, news: before.news + (group === 'new' ? 0 : 1) };
  const hasFailed = ends === 'failed' || ends === 'limit';
  return { after, happened: hasFailed ? ['turn_ended', 'failed'] : ['turn_ended'] };
}

function observeQuestion(before: Attended, question: Told['question']): { after: Attended; happened: Happening[] } {
  const ends = question?.kind === 'closing' && before.turnRuns;
  const asked = question?.id ?? before.asked ?? UNNAMED;
  const isNews = asked !== before.asked && before.asked !== UNNAMED;
  return {
    after: {
      ...before,
      asked,
      news: before.news + (isNews ? 1 : 0),
      turnRuns: ends ? false : before.turnRuns,
    },
    happened: [...(isNews ? (['asked'] as const) : []), ...(ends ? (['turn_ended'] as const) : [])],
  };
}

export function isUnreadBy({ news, seen, isMarked }: Attended): boolean {
  return isMarked || news > seen;
}

/**
 * Records that the user has looked at what the session showed.
 * @param news how many news items there were at that moment, or null to count all of them as seen
 */
export function lookAt(before: Attended, news: number | null): Attended {
  const seen = Math.max(before.seen, Math.min(news ?? before.news, before.news));
  // Looking at a screen that is older than the mark does not clear the mark.
  const isMarked = before.isMarked && seen < before.news;
  return keepSame(before, { ...before, seen, isMarked });
}

function keepSame(before: Attended, after: Attended): Attended {
  const { news, seen, isMarked, turnRuns, asked, snooze } = after;
  const isEqual = news === before.news && seen === before.seen && isMarked === before.isMarked;
  return isEqual && turnRuns === before.turnRuns && asked === before.asked && snooze === before.snooze ? before : after;
}

/**
 * Marks a session as unread at the user's request. The mark counts as news, so a look that is already in progress does
 * not clear it.
 */
export function markUnread(before: Attended): Attended {
  return isUnreadBy(before) && before.isMarked ? before : { ...before, news: before.news + 1, isMarked: true };
}

/** Reports whether an event in the snoozed session itself ends the snooze. */
export function isWokenBy(rule: SnoozeRule, happened: readonly Happening[]): boolean {
  const { untilAsks, untilTurnEnds } = rule;
  return happened.some((one) => {
    if (one === 'asked' || one === 'failed') return untilAsks || (one === 'failed' && untilTurnEnds);
    // A stopped session can neither ask questions nor end turns any more.
    return one === 'ended' ? untilAsks || untilTurnEnds : untilTurnEnds;
  });
}

/** Reports whether an event in another session wakes the sessions that are waiting for that session to end. */
export function endsWaiting(happened: readonly Happening[]): boolean {
  return happened.includes('turn_ended') || happened.includes('ended');
}

export function isDue({ until }: SnoozeRule, now: number): boolean {
  return until !== null && until <= now;
}
