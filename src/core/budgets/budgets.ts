import type { BudgetPeriod, BudgetScope, BudgetUnit } from '../../protocol/index.ts';
import { localDay } from '../history/index.ts';

/** A budget, as defined in config.toml. */
export interface BudgetRule {
  name: string;
  scope: BudgetScope;
  /** the name of the session or the tag, or null for the other scopes */
  of: string | null;
  unit: BudgetUnit;
  limit: number;
  per: BudgetPeriod;
}

/** What budgets need to know about a session. */
export interface Spender {
  id: string;
  slug: string;
  tags: readonly string[];
}

/** The amount that a session spent on one day. The number of tokens is null if nothing reports it. */
export interface Spend {
  sessionId: string;
  /** the day, such as `2026-11-21`, in the machine's time zone */
  day: string;
  usd: number;
  tokens: number | null;
}

/**
 * Returns the key under which a session's spending counts toward a budget: the session's own key, or the key (`''`)
 * that several sessions share. Returns null if the budget does not apply to the session.
 */
export function subjectOf({ scope, of }: BudgetRule, { id, slug, tags }: Spender): string | null {
  switch (scope) {
    case 'each':
      return id;
    case 'session':
      return slug === of ? id : null;
    case 'tag':
      return of !== null && tags.includes(of) ? '' : null;
    case 'fleet':
      return '';
  }
}

/**
 * Returns the name of the current period. When a user raises a budget, the raise is stored under this name, so a raise
 * for today no longer applies tomorrow.
 */
export function periodOf({ per }: BudgetRule, now: number): string {
  return per === 'day' ? localDay(now) : '';
}

/**
 * Returns how much of a budget has been spent in the current period.
 * @param tagged the ids of the sessions that have the budget's tag; a budget for the whole fleet also counts deleted
 * sessions
 */
export function spentOf(
  rule: BudgetRule,
  {
    subject,
    tagged,
    spends,
    now,
  }: { subject: string; tagged: ReadonlySet<string>; spends: readonly Spend[]; now: number },
): number {
  const period = periodOf(rule, now);
  const counts = ({ sessionId, day }: Spend): boolean => {
    if (rule.per === 'day' && day !== period) return false;
    if (rule.scope === 'fleet') return true;
    return rule.scope === 'tag' ? tagged.has(sessionId) : sessionId === subject;
  };
  return spends.filter(counts).reduce((sum, { usd, tokens }) => sum + (rule.unit === 'usd' ? usd : (tokens ?? 0)), 0);
}
