import {
  type AskedCall,
  decide,
  isInForce,
  placeKey,
  placesOf,
  type RulesInForce,
  type Verdict,
} from '../../core/approval/index.ts';
import { followLinks, resolvePlaces } from '../../platform/rules/index.ts';
import type { NewDecision, RuleStore } from '../../platform/sqlite/rule-store.ts';
import type { AuditOutcome, Rule, RuleFile } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type BookedRule, type BookNow, hasRules, readBook } from './rule-book.ts';

/** The session that asks. */
export interface AskingSession {
  id: string;
  name: string;
  /** its folder; null where it is unknown */
  path: string | null;
}

/** What it asks for. */
export interface AskedInput {
  tool: string;
  input: unknown;
  isWhole: boolean;
  /** the directory in which a command would run; null: the session's folder */
  cwd: string | null;
}

/** A verdict, with its rules as they are written down. */
export interface Decided extends Omit<Verdict, 'rules'> {
  rules: Rule[];
}

/** What the rules of a home say, and what they have decided. */
export interface Approvals {
  /** whether there may be any rule; otherwise nothing is looked at */
  areOn(): boolean;
  verdict(session: AskingSession, asked: AskedInput): Promise<Decided>;
  isDecided(sessionId: string, asked: string): boolean;
  /**
   * Writes a decision down, before the reply is given.
   * @returns null if the question was decided before
   * @throws while the home cannot be written; no reply is given then
   */
  record(decision: Omit<NewDecision, 'at'>): number | null;
  conclude(id: number, outcome: AuditOutcome): void;
  /** every rule and file, with the projects of these folders */
  book(folders: readonly string[]): Promise<BookNow>;
}

export interface ApprovalOptions {
  home: string;
  userHome: string;
  store: RuleStore;
  clock: Pick<Clock, 'now'>;
  log: Pick<Logger, 'warn'>;
}

export function createApprovals(options: ApprovalOptions): Approvals {
  const { home, userHome, store, clock, log } = options;
  /** the faults that were logged, so that each is logged once */
  const logged = new Set<string>();

  function logFaults(files: readonly RuleFile[]): void {
    for (const { path, state, error } of files) {
      const fault = `${path}\n${error}`;
      if (error === null || state === 'untrusted' || logged.has(fault)) continue;
      logged.add(fault);
      log.warn(
        { file: path, error },
        'a file of approval rules cannot be relied on: nothing that it touches is allowed',
      );
    }
  }

  async function verdict({ id, name, path }: AskingSession, asked: AskedInput): Promise<Decided> {
    const folder = path === null ? null : await followLinks(path);
    const cwd = asked.cwd === null ? folder : await followLinks(asked.cwd);
    const { tool, input, isWhole } = asked;
    const call: AskedCall = { tool, input, isWhole, session: { id, name }, folder, cwd, now: clock.now() };
    const book = await readBook({ home, store }, []);
    logFaults(book.files);
    const inForce: RulesInForce = { rules: book.rules.map(({ rule }) => rule), fault: faultFor(book.files, folder) };
    const counting = inForce.rules.filter((rule) => isInForce(rule, call));
    const places = await resolvePlaces(placesOf(call, counting), { userHome, keyOf: placeKey });
    const found = decide(call, inForce, { home: (await followLinks(home)) ?? home, places });
    const booked = book.rules.filter(({ rule }) => found.rules.includes(rule));
    return { ...found, rules: booked.map((one) => toWire(one, () => name)) };
  }

  return {
    areOn: () => hasRules({ home, store }),
    verdict,
    isDecided: store.isDecided,
    record: (decision) => store.decide({ ...decision, at: clock.now() }),
    conclude: (id, outcome) => store.conclude(id, outcome, clock.now()),
    book: async (folders) => {
      const real = await Promise.all(folders.map(followLinks));
      return readBook({ home, store }, [...new Set(real.filter((one) => one !== null))]);
    },
  };
}

/** The home's own file touches every session; a project's those below its folder. */
function faultFor(files: readonly RuleFile[], folder: string | null): string | null {
  const isAbout = (file: RuleFile): boolean =>
    file.folder === null || folder === null || folder === file.folder || folder.startsWith(`${file.folder}/`);
  return files.find((file) => (file.state === 'broken' || file.state === 'changed') && isAbout(file))?.path ?? null;
}

/** @param nameOf the name of the session that a rule is for; null if it has gone */
export function toWire({ rule, origin }: BookedRule, nameOf: (sessionId: string) => string | null): Rule {
  const { id, effect, tools, commands, paths, sessions, onlyFor, folder, expiresAt, count, used, note } = rule;
  return {
    ...{ id, effect, origin, folder, count, used, note },
    tool: [...tools],
    command: commands.map((words) => words.join(' ')),
    path: [...paths],
    session: [...sessions],
    only: onlyFor === null ? null : (nameOf(onlyFor) ?? onlyFor),
    expires: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}
