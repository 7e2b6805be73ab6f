/**
 * The budgets of sessions. `createBudgets` uses the figures that Claude Code has reported to determine whether a
 * session has reached a budget, and begins a new period when the day ends. A session without figures is never held
 * back, because having no figure is better than having a wrong one. `cbos budget` lists such sessions.
 */

import { type BudgetRule, periodOf, type Spend, spentOf, subjectOf } from '../../core/budgets/index.ts';
import { endOfDay, localDay } from '../../core/history/index.ts';
import type { Labels } from '../../core/labels/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { BudgetStore } from '../../platform/sqlite/budget-store.ts';
import type { EventStore } from '../../platform/sqlite/event-store.ts';
import type { TerminalCostStore } from '../../platform/sqlite/terminal-cost-store.ts';
import type { OverBudget } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_MS = 6 * 3_600_000;

/** The state of a budget in its current period, for one session or for all sessions that share the budget. */
export interface BudgetState {
  limit: number;
  spent: number;
  isRaised: boolean;
}

/** The fields of a session's record that identify the session. */
interface Named {
  id: string;
  slug: string;
}

export interface Budgets {
  readonly rules: readonly BudgetRule[];
  /** Returns the first budget that prevents CBOS from sending prompts to a session; null if CBOS may send. */
  overBudget(session: Named): Omit<OverBudget, 'holds'> | null;
  /**
   * Returns the first shared budget that is already used up and would apply to a new session with these tags; null if
   * there is none.
   */
  overBudgetOfNew(tags: readonly string[]): string | null;
  /**
   * Returns a budget's limit for a session and how much of it is spent; null if the budget does not apply to the
   * session.
   */
  stateOf(rule: BudgetRule, session: Named): BudgetState | null;
  /** @param session the session whose budget is raised; null for a budget that several sessions share */
  raise(rule: BudgetRule, session: Named | null, to: number): void;
  /** Returns the state of a budget that several sessions share. */
  shared(rule: BudgetRule): BudgetState;
  /**
   * Notes that something was spent, sent, held, or tagged. Listeners are called shortly afterwards, only once for
   * several notes.
   */
  note(): void;
  onChange(listener: () => void): Dispose;
  dispose: Dispose;
}

export interface BudgetOptions {
  rules: readonly BudgetRule[];
  store: BudgetStore;
  events: Pick<EventStore, 'sessionDays'>;
  terminalCosts: Pick<TerminalCostStore, 'read'>;
  labels: { all(): ReadonlyMap<string, Labels> };
  clock: Clock;
  log: Logger;
}

export function createBudgets(options: BudgetOptions): Budgets {
  const { rules, store, clock, log } = options;
  const changes = new Emitter((cause) => log.error({ err: cause }, 'a listener of budgets failed'));
  const { state, stateOf, forget } = createBudgetStates(options);
  let cancelTell: Dispose | null = null;
  let cancelDay: Dispose | null = null;

  function note(): void {
    if (rules.length === 0) return;
    forget();
    cancelTell ??= clock.after(0, () => {
      cancelTell = null;
      changes.tell();
    });
  }

  function awaitDay(): void {
    if (rules.length === 0) return;
    // The time must be read first: `now` may notice that the clock was set, and then calls this function again.
    const now = clock.now();
    cancelDay?.();
    cancelDay = clock.after(Math.min(endOfDay(now) - now, MOST_MS), noteDay);
  }

  function noteDay(): void {
    note();
    awaitDay();
  }

  const stopNoticing = rules.length === 0 ? null : clock.onStep(noteDay);
  awaitDay();

  return {
    rules,
    overBudget: (session) => {
      for (const rule of rules) {
        const found = stateOf(rule, session);
        if (found === null || found.spent < found.limit) continue;
        const { name: budget, scope, unit, per } = rule;
        return { budget, scope, unit, per, limit: found.limit, spent: found.spent };
      }
      return null;
    },
    overBudgetOfNew: (words) => {
      const newcomer = { id: '', slug: '', tags: words };
      const reached = rules.find((rule) => {
        if (subjectOf(rule, newcomer) !== '' || (rule.scope !== 'tag' && rule.scope !== 'fleet')) return false;
        const { spent, limit } = state(rule, '');
        return spent >= limit;
      });
      return reached?.name ?? null;
    },
    stateOf,
    shared: (rule) => state(rule, ''),
    raise: (rule, session, to) => {
      const now = clock.now();
      store.raise({ budget: rule.name, subject: session?.id ?? '', period: periodOf(rule, now) }, to, now);
      note();
    },
    note,
    onChange: changes.on,
    dispose: () => {
      stopNoticing?.();
      cancelTell?.();
      cancelDay?.();
      changes.clear();
    },
  };
}

/** Computes the states of budgets, and remembers them until `forget` is called. */
function createBudgetStates(options: BudgetOptions) {
  const { store, events, terminalCosts, labels, clock } = options;
  let known = new Map<string, BudgetState>();
  let tags: ReadonlyMap<string, Labels> | null = null;

  const tagsOf = (id: string): readonly string[] => {
    tags ??= labels.all();
    return tags.get(id)?.tags ?? [];
  };

  const spendsOf = (sessionId: string | null, since: string | null): Spend[] => [
    ...events
      .sessionDays(sessionId, since)
      .map((row): Spend => ({ sessionId: row.session_id, day: row.day, usd: row.cost_usd, tokens: row.tokens })),
    ...terminalCosts
      .read(sessionId, since)
      .map((row): Spend => ({ sessionId: row.session_id, day: row.day, usd: row.cost_usd, tokens: null })),
  ];

  function state(rule: BudgetRule, subject: string): BudgetState {
    const now = clock.now();
    const period = periodOf(rule, now);
    const key = JSON.stringify([rule.name, subject, period]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const tagged = new Set<string>();
    if (rule.scope === 'tag' && rule.of !== null) {
      tags ??= labels.all();
      for (const [id, { tags: words }] of tags) if (words.includes(rule.of)) tagged.add(id);
    }
    const spends = spendsOf(subject === '' ? null : subject, rule.per === 'day' ? localDay(now) : null);
    const raisedTo = store.raisedTo({ budget: rule.name, subject, period });
    const limit = Math.max(rule.limit, raisedTo ?? 0);
    const made = { limit, spent: spentOf(rule, { subject, tagged, spends, now }), isRaised: limit > rule.limit };
    known.set(key, made);
    return made;
  }

  const stateOf = (rule: BudgetRule, { id, slug }: Named): BudgetState | null => {
    const subject = subjectOf(rule, { id, slug, tags: rule.scope === 'tag' ? tagsOf(id) : [] });
    return subject === null ? null : state(rule, subject);
  };

  const forget = (): void => {
    known = new Map();
    tags = null;
  };

  return { state, stateOf, forget };
}
