import {
  type ApprovalRule,
  type AskedCall,
  decide,
  decideBefore,
  isInForce,
  neverMatches,
  neverWords,
  placeKey,
  placesOf,
  type RulesInForce,
  SHELL_TOOL,
  type Verdict,
  withoutTable,
} from '../../core/approval/index.ts';
import { followLinks, resolvePlaces } from '../../platform/rules/index.ts';
import type { AnsweredCommand, AnswerStore, GivenAnswer } from '../../platform/sqlite/answer-store.ts';
import type { NewDecision, RuleStore } from '../../platform/sqlite/rule-store.ts';
import type { AuditOutcome, Rule, RuleFile, RuleFileState, RuleSuggestion } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type BookedRule, type BookNow, hasRules, readBook } from './rule-book.ts';
import { suggestFromAnswers } from './suggest-rules.ts';

/** The session that is asking. */
export interface AskingSession {
  id: string;
  name: string;
  /** the session's folder; null if unknown */
  path: string | null;
}

/** The tool call for which a session asks permission. */
export interface AskedInput {
  tool: string;
  input: unknown;
  isWhole: boolean;
  /** the directory in which a command would run; null means the session's folder */
  cwd: string | null;
}

/**
 * An event that is reported to the faces: the rules have changed, a decision was made, or the outcome of a decision has
 * become known.
 */
export type RuleEvent = { kind: 'changed' } | { kind: 'decided'; id: number };

/** A verdict, with the rules behind it in the form in which they are stored. */
export interface Decided extends Omit<Verdict, 'rules'> {
  rules: Rule[];
}

/** Applies the rules of a home, and stores their decisions. */
export interface Approvals {
  /** whether any rule may exist; if none can exist, nothing is checked */
  areOn(): boolean;
  verdict(session: AskingSession, asked: AskedInput): Promise<Decided>;
  /** the verdict on a call, before Claude Code decides whether to ask for permission; null if no rule applies */
  verdictBefore(session: AskingSession, asked: AskedInput): Promise<Decided | null>;
  /** the verdict that the rules would give if one more rule were in effect */
  tryRule(session: AskingSession, asked: AskedInput, rule: ApprovalRule): Promise<Decided>;
  isDecided(sessionId: string, asked: string): boolean;
  /**
   * Stores a decision before the reply is given.
   * @returns null if the question has already been decided
   * @throws while the home is not writable, in which case no reply is given
   */
  record(decision: Omit<NewDecision, 'at'>): number | null;
  conclude(id: number, outcome: AuditOutcome): void;
  /** Stores a person's answer to a question. @throws while the home is not writable */
  keepAnswer(answer: Omit<GivenAnswer, 'at'>): void;
  /** Proposes rules based on people's answers, except for commands that the rules in effect already allow. */
  suggest(): Promise<RuleSuggestion[]>;
  /** returns every rule and every file of rules, including those of the projects that these folders belong to */
  book(folders: readonly string[]): Promise<BookNow>;
}

export interface ApprovalOptions {
  home: string;
  userHome: string;
  store: RuleStore;
  answers: AnswerStore;
  clock: Pick<Clock, 'now'>;
  log: Pick<Logger, 'warn'>;
  /** called after a decision or its outcome has been recorded */
  onDecided(id: number): void;
}

export function createApprovals(options: ApprovalOptions): Approvals {
  const { home, userHome, store, answers, clock, log, onDecided } = options;
  const logBook = createBookLog(log);

  /** @param makesAsk whether a rule file in this state makes CBOS ask about every call that the file covers */
  async function lookUp(
    { id, name, path }: AskingSession,
    asked: AskedInput,
    {
      by,
      makesAsk,
      extra = [],
    }: {
      by: (...args: Parameters<typeof decide>) => Verdict | null;
      makesAsk: readonly RuleFileState[];
      /** rules that are only tried out and are not in effect */
      extra?: readonly ApprovalRule[];
    },
  ): Promise<Decided | null> {
    const folder = path === null ? null : await followLinks(path);
    const cwd = asked.cwd === null ? folder : await followLinks(asked.cwd);
    const { tool, input, isWhole } = asked;
    const call: AskedCall = { tool, input, isWhole, session: { id, name }, folder, cwd, now: clock.now() };
    const book = await readBook({ home, store }, []);
    logBook(book);
    const files = book.files.filter(({ state }) => makesAsk.includes(state));
    const rules = [...book.rules.map(({ rule }) => rule), ...extra];
    const inForce: RulesInForce = { rules, fault: faultFor(files, folder) };
    const counting = inForce.rules.filter((rule) => isInForce(rule, call));
    const places = await resolvePlaces(placesOf(call, counting), { userHome, keyOf: placeKey });
    const found = by(call, inForce, { home: (await followLinks(home)) ?? home, places });
    if (found === null) return null;
    const booked = book.rules.filter(({ rule }) => found.rules.includes(rule));
    return { ...found, rules: booked.map((one) => toWire(one, () => name)) };
  }

  const verdict = async (
    session: AskingSession,
    asked: AskedInput,
    extra: readonly ApprovalRule[],
  ): Promise<Decided> => {
    const found = await lookUp(session, asked, { by: decide, makesAsk: ['broken', 'changed'], extra });
    if (found === null) throw new Error('rules always decide something about a question');
    return found;
  };

  const asks = async (one: AnsweredCommand, extra: readonly ApprovalRule[]): Promise<boolean> => {
    const asked = { tool: SHELL_TOOL, input: one.input, isWhole: true, cwd: null };
    const session = { id: '', name: one.session, path: one.folder };
    return (await verdict(session, asked, extra)).decision !== 'allow';
  };

  return {
    keepAnswer: (answer) => answers.keep({ ...answer, at: clock.now() }),
    suggest: () => suggestFromAnswers(answers.commands(MOST_ANSWERS), asks),
    areOn: () => hasRules({ home, store }),
    verdict: (session, asked) => verdict(session, asked, []),
    tryRule: (session, asked, rule) => verdict(session, asked, [rule]),
    // `changed` is missing here on purpose: the last trusted version of a changed file is still known, and nothing is
    // allowed at this point.
    verdictBefore: (session, asked) => lookUp(session, asked, { by: decideBefore, makesAsk: ['broken'] }),
    isDecided: store.isDecided,
    record: (decision) => {
      const id = store.decide({ ...decision, at: clock.now() });
      if (id !== null) onDecided(id);
      return id;
    },
    conclude: (id, outcome) => {
      store.conclude(id, outcome, clock.now());
      onDecided(id);
    },
    book: async (folders) => {
      const real = await Promise.all(folders.map(followLinks));
      return readBook({ home, store }, [...new Set(real.filter((one) => one !== null))]);
    },
  };
}

/** Returns what logs the faults of rule files, and rules that never match, each only once. */
function createBookLog(log: ApprovalOptions['log']): (book: BookNow) => void {
  const logged = new Set<string>();
  /** the ids of the rules that have already been checked for whether they can match */
  const checked = new Set<string>();
  return ({ files, rules }) => {
    for (const { path, state, error } of files) {
      const fault = `${path}\n${error}`;
      if (error === null || state === 'untrusted' || logged.has(fault)) continue;
      logged.add(fault);
      log.warn(
        { file: path, error },
        'a file of approval rules cannot be trusted: rules allow nothing that it affects',
      );
    }
    for (const { rule } of rules) {
      if (checked.has(rule.id)) continue;
      checked.add(rule.id);
      const reason = reasonNever(rule);
      if (reason !== null) log.warn({ rule: rule.id, reason }, 'an approval rule never matches');
    }
  };
}

/** How many answers are read at most. This is enough for several weeks. */
const MOST_ANSWERS = 5_000;

/**
 * The home's own file of rules applies to every session. A project's file applies to the sessions in or below the
 * project's folder.
 */
function faultFor(files: readonly RuleFile[], folder: string | null): string | null {
  const isAbout = (file: RuleFile): boolean =>
    file.folder === null || folder === null || folder === file.folder || folder.startsWith(`${file.folder}/`);
  return files.find(isAbout)?.path ?? null;
}

function reasonNever(rule: ApprovalRule): string | null {
  const never = neverMatches(rule);
  return never === null ? null : neverWords(rule, never);
}

/** @param nameOf returns the name of the session to which a rule applies; null if the session no longer exists */
export function toWire({ rule, origin }: BookedRule, nameOf: (sessionId: string) => string | null): Rule {
  const { id, effect, tools, commands, paths, projects, sessions, onlyFor, folder, expiresAt, count, used, note } =
    rule;
  return {
    ...{ id, effect, origin, folder, count, used, note },
    tool: [...tools],
    command: commands.map((words) => words.join(' ')),
    path: [...paths],
    project: [...projects],
    session: [...sessions],
    only: onlyFor === null ? null : (nameOf(onlyFor) ?? onlyFor),
    expires: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    never_matches: reasonNever(rule),
    without_table: withoutTable(rule),
  };
}
