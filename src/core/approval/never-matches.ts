import type { RuleFields } from '../../protocol/index.ts';
import { nearestWord } from '../settings/file-keys.ts';
import { fitsGlob } from './glob.ts';
import { KNOWN_TOOLS } from './known-tools.ts';
import { commandNever } from './never-command.ts';
import { isProtectedName } from './path-pattern.ts';
import { FILE_TOOLS, FOR_PEOPLE, readRule, SHELL_TOOL } from './read-rules.ts';
import type { ApprovalRule } from './rule.ts';

/** The fields of one rule that matches what was meant. */
export type Instead = { [field in 'tool' | 'command' | 'path']?: readonly string[] };

/** A part of a rule that can never match. */
export interface NeverMatches {
  /** the tool, command, path or session that never matches */
  part: string;
  why: string;
  /** the rules that match what was meant, with the same effect; empty if no rule does */
  instead: readonly Instead[];
}
const MCP = 'mcp__';
/** The shortest unknown name that is compared with the known ones. Any short name is near to some other short name. */
const LEAST_LETTERS = 3;

/**
 * Finds the first tool, command, path or session of a rule that can never match.
 * @returns null if each of them can match. Whether the rule has expired does not matter.
 */
export function neverMatches(rule: ApprovalRule): NeverMatches | null {
  const { tools, commands, paths, sessions } = rule;
  return (
    first(tools, (tool) => toolNever(rule, tool)) ??
    first(commands, (words) => ofCommand(rule, words)) ??
    first(paths, (path) => pathNever(rule, path)) ??
    first(sessions, sessionNever)
  );
}

/** Says in one line why a rule never matches, and which rule would. */
export function neverWords({ effect }: Pick<ApprovalRule, 'effect'>, { part, why, instead }: NeverMatches): string {
  const cures = instead.map((fields) =>
    Object.entries(fields)
      .map(
        ([field, values]) => `${field} = ${values.length === 1 ? JSON.stringify(values[0]) : JSON.stringify(values)}`,
      )
      .join(', '),
  );
  // A command line is allowed if all its parts are, and denied if one is.
  return `${part}: ${why}${cures.length === 0 ? '' : `. Instead: ${cures.join(effect === 'allow' ? ' and ' : ' or ')}`}`;
}

/**
 * Reads a rule that somebody wants to add. A rule that never matches is refused here. In a file it only gets a mark,
 * because the other rules of the file must stay in force.
 * @param given.now the current time, in Unix milliseconds
 */
export function readNewRule(given: {
  effect: ApprovalRule['effect'];
  fields: Readonly<RuleFields>;
  id: string;
  now: number;
}): ReturnType<typeof readRule> {
  const { effect, fields, id, now } = given;
  const rule = readRule({ effect, fields, id, folder: null });
  if ('problem' in rule) return rule;
  const never = neverMatches({ ...rule, commands: rule.commands.length === 0 ? [] : linesOf(fields.command ?? []) });
  if (never !== null) return { problem: `this rule would never match: ${neverWords(rule, never)}` };
  if (rule.expiresAt !== null && rule.expiresAt <= now)
    return { problem: `this rule would never match: it expired at ${fields.expires}; give a later time, or none` };
  return rule;
}

/** Splits commands into words. {@link readRule} takes a line break for a space, but it separates two commands. */
const linesOf = (commands: string | readonly string[]): string[][] =>
  [commands].flat().map((text) =>
    text
      .trim()
      .replace(/\\\n/g, ' ')
      .replace(/\s*\n\s*/g, ' ; ')
      .split(/\s+/),
  );

function first<T>(values: readonly T[], find: (value: T) => NeverMatches | null): NeverMatches | null {
  for (const value of values) {
    const found = find(value);
    if (found !== null) return found;
  }
  return null;
}

function ofCommand({ effect }: ApprovalRule, words: readonly string[]): NeverMatches | null {
  const never = commandNever(effect, words);
  if (never === null) return null;
  const { why, commands, files } = never;
  const instead: Instead[] = files.map(({ access, path }) => ({ tool: [access], path: [path] }));
  if (commands.length > 0) instead.unshift({ command: commands });
  return { part: words.join(' '), why, instead };
}

function toolNever({ paths }: ApprovalRule, tool: string): NeverMatches | null {
  const never = (why: string, ...instead: Instead[]): NeverMatches => ({ part: tool, why, instead });
  if (FOR_PEOPLE.has(tool)) return never('rules never answer questions and plans; only the user does');
  const isMcp = tool.startsWith(MCP) || (tool.includes('*') && MCP.startsWith(tool.slice(0, tool.indexOf('*'))));
  if (isMcp && !tool.includes('*') && !/^mcp__.+__./.test(tool))
    return never("it names a server, not a tool; the server's tools begin with its name", { tool: [`${tool}__*`] });
  const known = KNOWN_TOOLS.filter((one) => fitsGlob(tool, one));
  if (known.length === 0 && !isMcp) return unknownTool(tool, paths);
  if (paths.length === 0 || known.some((one) => FILE_TOOLS.has(one) || one === SHELL_TOOL)) return null;
  return never('this tool has no path; a rule for all its calls can match', { tool: [tool] });
}

function unknownTool(tool: string, paths: readonly string[]): NeverMatches {
  const named = /^(\w+)\((.*)\)$/s.exec(tool);
  const [, name = tool, inner = ''] = named ?? [];
  const near =
    KNOWN_TOOLS.find((one) => one.toLowerCase() === name.toLowerCase()) ??
    (name.length < LEAST_LETTERS ? null : nearestWord(name, KNOWN_TOOLS));
  const why = named === null ? 'Claude Code has no such tool' : "this is the syntax of Claude Code's own permissions";
  if (near === null) {
    const newer = 'a rule for a tool of a newer Claude Code can be written into rules.toml, where CBOS only marks it';
    return { part: tool, why: `${why}; ${newer}`, instead: [] };
  }
  if (named !== null && near === SHELL_TOOL)
    return { part: tool, why, instead: [{ command: [inner.replace(/:\*$/, ' **')] }] };
  if (named !== null && FILE_TOOLS.has(near)) return { part: tool, why, instead: [{ tool: [near], path: [inner] }] };
  return { part: tool, why, instead: [{ tool: [near], ...(paths.length === 0 ? {} : { path: paths }) }] };
}

function pathNever({ effect, tools }: ApprovalRule, path: string): NeverMatches | null {
  const never = (why: string, path_: readonly string[] = []): NeverMatches => ({
    ...{ part: path, why },
    instead: path_.length === 0 ? [] : [{ ...(tools.length === 0 ? {} : { tool: tools }), path: path_ }],
  });
  const home = path.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, '~');
  if (home !== path) return never('variables are not expanded in a path', [home]);
  const braces = alternatives(path);
  if (braces.length > 1 || path.includes('?'))
    return never(
      'only `*` and `**` are wildcards in a path',
      braces.map((one) => one.replaceAll('?', '*')),
    );
  const star = path.indexOf('*');
  const dotless = star < 0 ? path : path.slice(0, star) + path.slice(star).replaceAll('/./', '/');
  if (dotless !== path) return never('no file is named "."', [dotless]);
  if (effect === 'allow' && isProtectedName(path)) return never('no rule can allow anything in this place');
  return null;
}

/** Returns the texts that a shell would make of braces, such as `a.ts` and `a.js` for `a.{ts,js}`. */
function alternatives(path: string): string[] {
  const [all = '', before = '', inner = '', after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(path) ?? [];
  return all === '' ? [path] : inner.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}

function sessionNever(session: string): NeverMatches | null {
  if (/^[A-Za-z0-9_*-]+$/.test(session)) return null;
  return { part: session, why: 'the name of a session consists of letters, digits, _ and -', instead: [] };
}
