import { allowsCommand, unwrap } from './command-pattern.ts';
import { isProtected } from './path-pattern.ts';
import { fieldOf, pathsOf } from './places.ts';
import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import { type ApprovalRule, fitsTool, isWithin } from './rule.ts';
import type { SeenCall } from './seen-call.ts';
import type { OpenedFile, SimpleCommand } from './shell-command.ts';
import { allowedBy, ask, type Verdict } from './verdict.ts';

/**
 * All the fields that a command's input may have. If there is any other field, such as one that bypasses the sandbox,
 * the user decides.
 */
const COMMAND_FIELDS: ReadonlySet<string> = new Set(['command', 'description', 'timeout', 'run_in_background']);

/** Fields with which a file tool can reach more files than the one that it names. */
const SEARCH_FIELDS = ['pattern', 'glob'];

/** Decides whether the rules allow every part of the call. */
export function allowedByRules(seen: SeenCall, rules: readonly ApprovalRule[]): Verdict {
  const { tool } = seen.call;
  if (tool === SHELL_TOOL) return allowedCommand(seen, rules);
  if (FILE_TOOLS.has(tool)) return allowedFile(seen, rules);
  const rule = rules.find((one) => one.paths.length + one.commands.length === 0 && fitsTool(one, tool));
  return rule === undefined ? ask('no_rule', tool) : allowedBy([rule], tool);
}

function allowedFile(seen: SeenCall, rules: readonly ApprovalRule[]): Verdict {
  const { tool, input } = seen.call;
  const { path, places } = seen.file();
  const searched = SEARCH_FIELDS.flatMap((field) => fieldOf(input, field) ?? []);
  const isSearch = tool === 'Glob' || tool === 'Grep';
  if (path.split('/').includes('..') || path.startsWith('~')) return ask('unclear_input', path);
  if (isSearch && searched.some((text) => /^[/~]|\.\./.test(text))) return ask('unclear_input', tool);
  return allowedPlaces(seen, rules, { tool, path, places });
}

function allowedPlaces(
  seen: SeenCall,
  rules: readonly ApprovalRule[],
  { tool, path, places }: { tool: string; path: string; places: readonly (string | null)[] },
): Verdict {
  if (places.length === 0 || places.includes(null)) return ask('unclear_input', path);
  const used: ApprovalRule[] = [];
  for (const place of places) {
    if (place === null || isProtected(path, place, seen.home)) return ask('protected', path);
    const rule = rules.find((one) => fitsTool(one, tool) && seen.fitOf(one, place, true) === 'fits');
    if (rule === undefined) return ask('no_rule', path);
    used.push(rule);
  }
  return allowedBy(used, path);
}

function allowedCommand(seen: SeenCall, rules: readonly ApprovalRule[]): Verdict {
  const command = seen.command;
  const { input, cwd, folder } = seen.call;
  if (command === null || typeof input !== 'object' || input === null) return ask('unclear_input', SHELL_TOOL);
  const foreign = Object.keys(input).find((field) => !COMMAND_FIELDS.has(field));
  if (foreign !== undefined) return ask('unclear_input', foreign);
  if (command.unclear !== null) return ask(command.unclear.reason, command.unclear.about);
  if (cwd === null || folder === null || !isWithin(cwd, folder)) return ask('directory', cwd);
  const used: ApprovalRule[] = [];
  for (const [index, one] of command.commands.entries()) {
    const verdict = one.words[0] === 'cd' ? allowedChange(seen, one, index) : allowedSimple(seen, rules, one);
    if (verdict.decision !== 'allow') return verdict;
    used.push(...verdict.rules);
  }
  for (const file of command.files) {
    const verdict = allowedRedirect(seen, rules, file);
    if (verdict.decision !== 'allow') return verdict;
    used.push(...verdict.rules);
  }
  const [first] = used;
  return first === undefined ? ask('no_rule', 'cd') : allowedBy(used, null);
}

function allowedSimple(seen: SeenCall, rules: readonly ApprovalRule[], given: SimpleCommand): Verdict {
  const one = unwrap(given);
  const about = [...one.assignments, ...one.words].join(' ');
  let refused = ask('no_rule', about);
  for (const rule of rules) {
    for (const pattern of rule.commands) {
      const fit = allowsCommand(pattern, one);
      if (fit === null) continue;
      const why = fit.far === null ? astray(seen, one, fit.open) : ask('star_word', fit.far);
      if (why === null) return allowedBy([rule], about);
      refused = why;
    }
  }
  return refused;
}

/** Finds a word that leads to a place where no rule may allow anything, or that leads a `*` out of the folder. */
function astray(seen: SeenCall, one: SimpleCommand, open: readonly string[]): Verdict | null {
  const { folder } = seen.call;
  const leadsTo = (paths: readonly string[], isBad: (place: string | null, path: string) => boolean): boolean =>
    paths.some((path) => path !== '/dev/null' && seen.placesOf(path).some((place) => isBad(place, path)));
  const named = pathsOf(one.words);
  const kept = named.find(({ paths, perhaps }) =>
    leadsTo([...paths, ...perhaps], (place, path) => place !== null && isProtected(path, place, seen.home)),
  );
  if (kept !== undefined) return ask('protected', kept.word);
  const outside = named.find(
    ({ word, paths }) =>
      open.includes(word) && leadsTo(paths, (place) => place === null || folder === null || !isWithin(place, folder)),
  );
  return outside === undefined ? null : ask('outside', outside.word);
}

/** A leading `cd` within the session's folder needs no rule. CDPATH does not affect such a target. */
function allowedChange(seen: SeenCall, { assignments, words }: SimpleCommand, index: number): Verdict {
  const [, target = '', ...more] = words;
  const about = words.join(' ');
  const places = seen.placesOf('.');
  const { folder } = seen.call;
  const isWell = index === 0 && more.length === 0 && assignments.length === 0 && /^(?:\/|\.\/|\.$)/.test(target);
  const isInside = places.every(
    (place) => place !== null && folder !== null && isWithin(place, folder) && !isProtected(target, place, seen.home),
  );
  return isWell && !target.split('/').includes('..') && isInside ? allowedBy([], about) : ask('directory', about);
}

function allowedRedirect(seen: SeenCall, rules: readonly ApprovalRule[], { access, path }: OpenedFile): Verdict {
  if (path.split('/').includes('..')) return ask('redirection', path);
  const verdict = allowedPlaces(seen, rules, { tool: access, path, places: seen.placesOf(path) });
  return verdict.reason === 'no_rule' ? ask('redirection', path) : verdict;
}
