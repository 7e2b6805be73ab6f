import type { RuleEffect, RuleReason } from '../../protocol/index.ts';
import { allowsCommand, mayMeanCommand, meansCommand, unwrap } from './command-pattern.ts';
import { fitsGlob } from './glob.ts';
import { fitsPath, isProtected, type PathFit } from './path-pattern.ts';
import { baseOfRule, basesOf, commandOf, fieldOf, fileOf, type Places, pathsIn, placeKey } from './places.ts';
import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import { type ApprovalRule, type AskedCall, isInForce, isWithin, type RulesInForce } from './rule.ts';
import type { OpenedFile, ReadCommand, SimpleCommand } from './shell-command.ts';

/** What the rules decide about a call, and the reason. */
export interface Verdict {
  decision: RuleEffect;
  reason: RuleReason;
  /** the part of the call, or the rules file, that led to the decision */
  about: string | null;
  /** the rules that made the decision */
  rules: readonly ApprovalRule[];
}

/** The tools that ask questions or present plans. Rules never answer these; only the user does. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/**
 * All the fields that a command's input may have. If there is any other field, such as one that bypasses the sandbox,
 * the user decides.
 */
const COMMAND_FIELDS: ReadonlySet<string> = new Set(['command', 'description', 'timeout', 'run_in_background']);

/** Fields with which a file tool can reach more files than the one that it names. */
const SEARCH_FIELDS = ['pattern', 'glob'];

const ask = (reason: RuleReason, about: string | null = null, rules: readonly ApprovalRule[] = []): Verdict => ({
  ...{ decision: 'ask', reason, about, rules },
});

/**
 * Decides a call according to the rules. A `deny` takes precedence. An `allow` requires every part of the call to be
 * known and allowed. In all other cases, CBOS asks the user.
 * @param home CBOS's own home, with symbolic links resolved
 * @param places where each path returned by `placesOf` leads
 */
export function decide(
  call: AskedCall,
  book: RulesInForce,
  { home, places }: { home: string; places: Places },
): Verdict {
  const rules = book.rules.filter((rule) => isInForce(rule, call));
  if (rules.length === 0 && book.fault === null) return ask('no_rules');
  if (FOR_PEOPLE.has(call.tool)) return ask('for_people', call.tool);
  const seen = new Seen(call, { home, places });
  for (const rule of rules) {
    if (rule.effect !== 'deny') continue;
    const found = seen.meant(rule);
    if (found?.isSure === true) return { decision: 'deny', reason: 'denied', about: found.about, rules: [rule] };
  }
  if (!call.isWhole) return ask('not_whole');
  if (book.fault !== null) return ask('broken_file', book.fault);
  for (const rule of rules) {
    if (rule.effect === 'allow') continue;
    const found = seen.meant(rule);
    if (found !== null) return ask(rule.effect === 'ask' ? 'asks' : 'may_be_denied', found.about, [rule]);
  }
  return seen.allowed(rules.filter(({ effect }) => effect === 'allow'));
}

interface Meant {
  isSure: boolean;
  about: string;
}

/** A call that has been parsed, so that it need not be parsed for each rule. */
class Seen {
  readonly #call: AskedCall;
  readonly #command: ReadCommand | null;
  readonly #home: string;
  readonly #places: Places;
  readonly #bases: readonly string[];

  constructor(call: AskedCall, { home, places }: { home: string; places: Places }) {
    this.#call = call;
    this.#command = commandOf(call);
    this.#home = home;
    this.#places = places;
    this.#bases = this.#command === null ? [] : basesOf(call, this.#command);
  }

  /** Reports whether a `deny` or an `ask` covers the call certainly, possibly, or not at all (null). */
  meant(rule: ApprovalRule): Meant | null {
    const { tool } = this.#call;
    if (rule.commands.length > 0) return tool === SHELL_TOOL ? this.#meantByCommand(rule) : null;
    if (rule.paths.length > 0) return this.#meantByPath(rule);
    return fitsTool(rule, tool) ? { isSure: true, about: tool } : null;
  }

  #meantByCommand(rule: ApprovalRule): Meant | null {
    const command = this.#command;
    if (command === null) return { isSure: false, about: SHELL_TOOL };
    for (const pattern of rule.commands) {
      const words = command.seen.find(
        (one) => meansCommand(pattern, one) || meansCommand(pattern, this.#behindLink(one)),
      );
      if (words !== undefined) return { isSure: true, about: words.join(' ') };
    }
    const text = fieldOf(this.#call.input, 'command') ?? '';
    const hidden = rule.commands.find((pattern) => mayMeanCommand(pattern, text));
    return hidden === undefined ? null : { isSure: false, about: hidden.join(' ') };
  }

  /** Returns the same command, with the program replaced by the target of its symbolic link. */
  #behindLink(words: readonly string[]): readonly string[] {
    const { words: run } = unwrap({ assignments: [], words });
    const [name = '', ...rest] = run;
    const places = name.includes('/') ? this.#placesOf(name) : [];
    const place = places.find((one) => one !== null && !one.endsWith(name.slice(name.lastIndexOf('/'))));
    return place == null ? words : [place, ...rest];
  }

  #meantByPath(rule: ApprovalRule): Meant | null {
    const { tool } = this.#call;
    const named =
      tool === SHELL_TOOL
        ? this.#pathsOfCommand(rule)
        : FILE_TOOLS.has(tool) && fitsTool(rule, tool)
          ? [this.#file()]
          : [];
    let perhaps: Meant | null = null;
    for (const { path, places } of named) {
      const fits = places.map((place) => this.#fitOf(rule, place, false));
      if (fits.includes('fits')) return { isSure: true, about: path };
      if (places.length === 0 || fits.includes('holds')) perhaps ??= { isSure: false, about: path };
    }
    return perhaps;
  }

  /** Returns the paths in a command that the rule covers, if it covers the tool that would open them. */
  #pathsOfCommand(rule: ApprovalRule): { path: string; places: (string | null)[] }[] {
    const command = this.#command;
    if (command === null) return [{ path: SHELL_TOOL, places: [] }];
    const files = command.files.filter(({ access }) => fitsTool(rule, access) || fitsTool(rule, SHELL_TOOL));
    const words = fitsTool(rule, SHELL_TOOL) ? command.seen.flatMap(([, ...rest]) => rest).flatMap(pathsIn) : [];
    return [...words, ...files.map(({ path }) => path)].map((path) => ({ path, places: this.#placesOf(path) }));
  }

  #file(): { path: string; places: (string | null)[] } {
    const path = fileOf(this.#call);
    const { cwd } = this.#call;
    if (path === null || cwd === null) return { path: this.#call.tool, places: [] };
    return { path, places: [this.#places.get(placeKey(cwd, path)) ?? null] };
  }

  #placesOf(path: string): (string | null)[] {
    return this.#bases.map((base) => this.#places.get(placeKey(base, path)) ?? null);
  }

  #fitOf(rule: ApprovalRule, place: string | null, isStrict: boolean): PathFit {
    const base = baseOfRule(rule, this.#call);
    if (place === null || base === null) return 'holds';
    const fits = rule.paths.map((pattern) => fitsPath(pattern, { place, base, places: this.#places, isStrict }));
    return fits.includes('fits') ? 'fits' : fits.includes('holds') ? 'holds' : 'no';
  }

  /** Decides whether the rules allow every part of the call. */
  allowed(rules: readonly ApprovalRule[]): Verdict {
    const { tool } = this.#call;
    if (tool === SHELL_TOOL) return this.#allowedCommand(rules);
    if (FILE_TOOLS.has(tool)) return this.#allowedFile(rules);
    const rule = rules.find((one) => one.paths.length + one.commands.length === 0 && fitsTool(one, tool));
    return rule === undefined ? ask('no_rule', tool) : allowedBy([rule], tool);
  }

  #allowedFile(rules: readonly ApprovalRule[]): Verdict {
    const { tool, input } = this.#call;
    const { path, places } = this.#file();
    const searched = SEARCH_FIELDS.flatMap((field) => fieldOf(input, field) ?? []);
    const isSearch = tool === 'Glob' || tool === 'Grep';
    if (path.split('/').includes('..') || path.startsWith('~')) return ask('unclear_input', path);
    if (isSearch && searched.some((text) => /^[/~]|\.\./.test(text))) return ask('unclear_input', tool);
    return this.#allowedPlaces(rules, { tool, path, places });
  }

  #allowedPlaces(
    rules: readonly ApprovalRule[],
    { tool, path, places }: { tool: string; path: string; places: readonly (string | null)[] },
  ): Verdict {
    if (places.length === 0 || places.includes(null)) return ask('unclear_input', path);
    const used: ApprovalRule[] = [];
    for (const place of places) {
      if (place === null || isProtected(path, place, this.#home)) return ask('protected', path);
      const rule = rules.find((one) => fitsTool(one, tool) && this.#fitOf(one, place, true) === 'fits');
      if (rule === undefined) return ask('no_rule', path);
      used.push(rule);
    }
    return allowedBy(used, path);
  }

  #allowedCommand(rules: readonly ApprovalRule[]): Verdict {
    const command = this.#command;
    const { input, cwd, folder } = this.#call;
    if (command === null || typeof input !== 'object' || input === null) return ask('unclear_input', SHELL_TOOL);
    const foreign = Object.keys(input).find((field) => !COMMAND_FIELDS.has(field));
    if (foreign !== undefined) return ask('unclear_input', foreign);
    if (command.unclear !== null) return ask(command.unclear.reason, command.unclear.about);
    if (cwd === null || folder === null || !isWithin(cwd, folder)) return ask('directory', cwd);
    const used: ApprovalRule[] = [];
    for (const [index, one] of command.commands.entries()) {
      const verdict = one.words[0] === 'cd' ? this.#allowedChange(one, index) : this.#allowedSimple(rules, one);
      if (verdict.decision !== 'allow') return verdict;
      used.push(...verdict.rules);
    }
    for (const file of command.files) {
      const verdict = this.#allowedRedirect(rules, file);
      if (verdict.decision !== 'allow') return verdict;
      used.push(...verdict.rules);
    }
    const [first] = used;
    return first === undefined ? ask('no_rule', 'cd') : allowedBy(used, null);
  }

  #allowedSimple(rules: readonly ApprovalRule[], given: SimpleCommand): Verdict {
    const one = unwrap(given);
    const about = [...one.assignments, ...one.words].join(' ');
    let why = ask('no_rule', about);
    for (const rule of rules) {
      for (const pattern of rule.commands) {
        const fit = allowsCommand(pattern, one);
        if (fit === null) continue;
        const astray = this.#astray(one, fit.open);
        if (astray === null) return allowedBy([rule], about);
        why = astray;
      }
    }
    return why;
  }

  /** Finds a word that leads to a place where no rule may allow anything, or that a `*` must not match. */
  #astray(one: SimpleCommand, open: readonly string[]): Verdict | null {
    const { folder } = this.#call;
    const leadsTo = (word: string, isBad: (place: string | null, path: string) => boolean): boolean =>
      pathsIn(word).some((path) => path !== '/dev/null' && this.#placesOf(path).some((place) => isBad(place, path)));
    const kept = one.words.find((word) =>
      leadsTo(word, (place, path) => place !== null && isProtected(path, place, this.#home)),
    );
    if (kept !== undefined) return ask('protected', kept);
    const outside = open.find((word) =>
      leadsTo(word, (place) => place === null || folder === null || !isWithin(place, folder)),
    );
    return outside === undefined ? null : ask('outside', outside);
  }

  /** A leading `cd` within the session's folder needs no rule. CDPATH does not affect such a target. */
  #allowedChange({ assignments, words }: SimpleCommand, index: number): Verdict {
    const [, target = '', ...more] = words;
    const about = words.join(' ');
    const places = this.#placesOf('.');
    const { folder } = this.#call;
    const isWell = index === 0 && more.length === 0 && assignments.length === 0 && /^(?:\/|\.\/|\.$)/.test(target);
    const isInside = places.every(
      (place) =>
        place !== null && folder !== null && isWithin(place, folder) && !isProtected(target, place, this.#home),
    );
    return isWell && !target.split('/').includes('..') && isInside ? allowedBy([], about) : ask('directory', about);
  }

  #allowedRedirect(rules: readonly ApprovalRule[], { access, path }: OpenedFile): Verdict {
    if (path.split('/').includes('..')) return ask('redirection', path);
    const verdict = this.#allowedPlaces(rules, { tool: access, path, places: this.#placesOf(path) });
    return verdict.reason === 'no_rule' ? ask('redirection', path) : verdict;
  }
}

const allowedBy = (rules: readonly ApprovalRule[], about: string | null): Verdict => ({
  ...{ decision: 'allow', reason: 'allowed', about, rules: [...new Set(rules)] },
});

/** A rule that names no tools applies to every tool that its commands and paths could involve. */
const fitsTool = ({ tools }: ApprovalRule, tool: string): boolean =>
  tools.length === 0 || tools.some((name) => fitsGlob(name, tool));
