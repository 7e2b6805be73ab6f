import { v4 as uuid } from 'uuid';
import { type ApprovalRule, briefInput, readNewRule } from '../../core/approval/index.ts';
import { followLinks, PROJECT_RULES } from '../../platform/rules/index.ts';
import type { RuleStore, StoredDecision } from '../../platform/sqlite/rule-store.ts';
import {
  type AuditEntry,
  type AuditQuery,
  CatalogueError,
  type NewRule,
  type Rule,
  type RuleBook,
  RuleFields,
  type RuleSuggestion,
  type RuleTest,
  type RuleTrust,
  type RuleVerdict,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';
import {
  type Approvals,
  type AskedInput,
  type AskingSession,
  type Decided,
  type RuleEvent,
  toWire,
} from './approvals.ts';
import { readProject } from './rule-book.ts';

/** How many decisions `GET /audit` returns by default. */
const DEFAULT_ENTRIES = 200;
/** How many characters of a random id are used: enough to tell rules apart, but few enough to type. */
const ID_LENGTH = 8;

/** Handles the faces' requests about rules. Only a person may change rules; see `app.ts`. */
export interface Rules {
  /** @param folder a project to check in addition to those of the sessions */
  list(folder?: string): Promise<RuleBook>;
  /** @throws CatalogueError no_such_session, invalid_rule */
  add(request: NewRule): Promise<Rule>;
  /** @throws CatalogueError no_such_rule, rule_in_file */
  remove(id: string): Promise<Rule>;
  /** @throws CatalogueError no_such_session */
  test(request: RuleTest): Promise<RuleVerdict>;
  suggest(): Promise<RuleSuggestion[]>;
  /**
   * Returns the verdict that a call would get if one more rule were in effect. @throws CatalogueError no_such_session
   */
  tryRule(session: string, asked: AskedInput, rule: ApprovalRule): Promise<Decided>;
  /** @throws CatalogueError no_such_path, rules_changed, invalid_rule */
  trust(request: RuleTrust): Promise<RuleBook>;
  /** @throws CatalogueError no_such_path */
  untrust(path: string): Promise<RuleBook>;
  audit(query: AuditQuery): AuditEntry[];
  /** @throws CatalogueError no_such_decision */
  decision(id: number): AuditEntry;
  onEvent(listener: (event: RuleEvent) => void): Dispose;
}

export interface RulesOptions {
  approvals: Approvals;
  store: RuleStore;
  clock: Pick<Clock, 'now'>;
  /** returns the listed sessions */
  sessions(): AskingSession[];
  /**
   * called after a rule was added or removed, or a project's rules became trusted or untrusted; the request is answered
   * once the promise resolves
   */
  onChange(): Promise<void>;
  onEvent: Rules['onEvent'];
}

export function createRules({ approvals, store, clock, sessions, onChange, onEvent }: RulesOptions): Rules {
  const nameOf = (id: string): string | null => sessions().find((one) => one.id === id)?.name ?? null;

  function find(name: string): AskingSession {
    const found = sessions().find((one) => one.name === name);
    if (found === undefined) throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(name)}`);
    return found;
  }

  async function list(folder?: string): Promise<RuleBook> {
    const folders = [...sessions().flatMap(({ path }) => path ?? []), ...(folder === undefined ? [] : [folder])];
    const { rules, files } = await approvals.book(folders);
    return { rules: rules.map((one) => toWire(one, nameOf)), files: [...files] };
  }

  async function requireProject(path: string): Promise<NonNullable<Awaited<ReturnType<typeof readProject>>>> {
    const found = await readProject(path);
    if (found === null) throw new CatalogueError('no_such_path', `${path} has no ${PROJECT_RULES}`);
    return found;
  }

  return {
    list,
    add: async ({ effect, only, ...fields }) => {
      const sessionId = only === undefined ? null : find(only).id;
      const id = uuid().slice(0, ID_LENGTH);
      const rule = readNewRule({ effect, fields, id, now: clock.now() });
      if ('problem' in rule) throw new CatalogueError('invalid_rule', rule.problem);
      store.add({ id, sessionId, effect, fields: RuleFields.parse(fields), createdAt: clock.now() });
      await onChange();
      return toWire({ rule: { ...rule, onlyFor: sessionId }, origin: 'added' }, nameOf);
    },
    remove: async (id) => {
      const rule = (await list()).rules.find((one) => one.id === id);
      if (rule === undefined) throw new CatalogueError('no_such_rule', `No rule has the id ${JSON.stringify(id)}`);
      if (rule.origin !== 'added') throw new CatalogueError('rule_in_file');
      store.remove(id);
      await onChange();
      return rule;
    },
    test: async ({ tool, input, session, folder = null }) => {
      const asking = session === undefined ? { id: '', name: '', path: folder } : find(session);
      const { rules, ...verdict } = await approvals.verdict(asking, { tool, input, isWhole: true, cwd: null });
      return { ...verdict, rules: rules.map(({ id }) => id) };
    },
    suggest: approvals.suggest,
    tryRule: (session, asked, rule) => approvals.tryRule(find(session), asked, rule),
    trust: async ({ path, sha256 }) => {
      const { folder, text, problem } = await requireProject(path);
      if (text.content === null) throw new CatalogueError('invalid_rule', `${folder}/${PROJECT_RULES}: ${text.error}`);
      if (text.sha256 !== sha256) throw new CatalogueError('rules_changed');
      if (problem !== null) throw new CatalogueError('invalid_rule', problem);
      store.trust({ folder, sha256, content: text.content }, clock.now());
      await onChange();
      return list();
    },
    untrust: async (path) => {
      const folder = await followLinks(path);
      if (folder === null || !store.trusted().some((one) => one.folder === folder))
        throw new CatalogueError('no_such_path', `No rules in ${path} are trusted`);
      store.untrust(folder);
      await onChange();
      return list();
    },
    audit: ({ session, since, limit, before, brief }) => {
      const from = since === undefined ? null : Date.parse(since);
      const filter = { session: session ?? null, since: from, before: before ?? null, limit: limit ?? DEFAULT_ENTRIES };
      const found = store.decisions(filter).map((one) => toEntry(one, nameOf));
      return brief === 'true' ? found.map(toBrief) : found;
    },
    decision: (id) => {
      const found = store.decision(id);
      if (found === null) throw new CatalogueError('no_such_decision');
      return toEntry(found, nameOf);
    },
    onEvent,
  };
}

function toEntry(
  { place, at, sessionId, ...entry }: StoredDecision,
  nameOf: (sessionId: string) => string | null,
): AuditEntry {
  return {
    ...entry,
    listed: nameOf(sessionId),
    at: new Date(at).toISOString(),
    offset: place?.offset ?? null,
    epoch: place?.epoch ?? null,
  };
}

function toBrief(entry: AuditEntry): AuditEntry {
  const { input, isCut } = briefInput(entry.input);
  return { ...entry, input, ...(isCut ? { cut: true } : {}) };
}
