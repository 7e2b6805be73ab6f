import { type RuleEffect, RuleFields } from '../../protocol/index.ts';
import { scriptProgram } from './programs.ts';
import type { ApprovalRule } from './rule.ts';

/** What is wrong with a rule, or with a file of rules. */
export interface RuleProblem {
  problem: string;
}

const EFFECTS = ['allow', 'deny', 'ask'] as const satisfies readonly RuleEffect[];

/** More rules than anybody reads; each is tried for every call. */
const MOST_RULES = 1_000;
/** Each multiplies the steps of a comparison by the depth of the path. */
const MOST_DEEP = 2;

/** The tools that name one file or folder, and the field that names it. */
export const FILE_TOOLS: ReadonlyMap<string, string> = new Map([
  ['Read', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['Write', 'file_path'],
  ['NotebookRead', 'notebook_path'],
  ['NotebookEdit', 'notebook_path'],
  ['Glob', 'path'],
  ['Grep', 'path'],
  ['LS', 'path'],
]);

/** The tool whose input is a shell command. */
export const SHELL_TOOL = 'Bash';

/**
 * The rules of a file: all of them, or the problem. A file is never read in part, because a deny could be in the rest.
 * @param file.mayAllow false for a project's own file
 */
export function readRules(
  values: Readonly<Record<string, unknown>>,
  file: { mayAllow: boolean; folder: string | null },
): ApprovalRule[] | RuleProblem {
  const unknown = Object.keys(values).find((key) => !EFFECTS.some((effect) => effect === key));
  if (unknown !== undefined) return { problem: `it has ${unknown}; only [[allow]], [[deny]] and [[ask]] are known` };
  const rules: ApprovalRule[] = [];
  for (const effect of EFFECTS) {
    const listed = values[effect] ?? [];
    if (!Array.isArray(listed)) return { problem: `${effect} is no list of tables: write [[${effect}]]` };
    for (const [index, fields] of listed.entries()) {
      const rule = readRule({ effect, fields, id: '', folder: file.folder });
      const place = `[[${effect}]] number ${index + 1}`;
      if ('problem' in rule) return { problem: `${place}: ${rule.problem}` };
      if (effect === 'allow' && !file.mayAllow) return { problem: `${place}: a project's file denies and asks only` };
      rules.push(rule);
    }
  }
  return rules.length > MOST_RULES ? { problem: `it has more than ${MOST_RULES} rules` } : rules;
}

/** @param given.id of the rule; empty: made of its content, so that a changed rule is another one */
export function readRule(given: {
  effect: RuleEffect;
  fields: unknown;
  id: string;
  folder: string | null;
}): ApprovalRule | RuleProblem {
  const { effect, folder } = given;
  const read = RuleFields.safeParse(withTextDates(given.fields));
  if (!read.success) {
    const [issue] = read.error.issues;
    const where = issue?.path.join('.') ?? '';
    return { problem: `${where === '' ? '' : `${where}: `}${issue?.message ?? 'it is no rule'}` };
  }
  const { tool, command, path, session, expires, count = null, note = null } = read.data;
  const rule: ApprovalRule = {
    id: given.id === '' ? idOf(effect, folder, read.data) : given.id,
    effect,
    tools: listOf(tool),
    commands: listOf(command).map((text) => text.split(/\s+/).filter((word) => word !== '')),
    paths: listOf(path),
    sessions: listOf(session),
    onlyFor: null,
    folder,
    expiresAt: expires === undefined ? null : Date.parse(expires),
    count,
    used: 0,
    note,
  };
  const problem = problemOf(rule);
  return problem === null ? rule : { problem };
}

const listOf = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value;

/** TOML has dates of its own. */
function withTextDates(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return fields;
  const { expires } = fields as { expires?: unknown };
  return expires instanceof Date && !Number.isNaN(expires.getTime())
    ? { ...fields, expires: new Date(expires.getTime()).toISOString() }
    : fields;
}

function problemOf({ effect, tools, commands, paths, count }: ApprovalRule): string | null {
  if (tools.length + commands.length + paths.length === 0) return 'it names no tool, no command and no path';
  if (commands.length > 0 && paths.length > 0) return 'it has a command and a path: write two rules';
  if (commands.some((words) => words.length === 0)) return 'a command is empty';
  if (commands.length > 0 && tools.some((tool) => tool !== SHELL_TOOL)) return `a command is for ${SHELL_TOOL} only`;
  const inner = commands.flatMap((words) => words.slice(0, -1)).find((word) => word === '**');
  if (inner !== undefined) return '`**` stands at the end of a command only';
  const climbing = paths.find((path) => path.split('/').includes('..'));
  if (climbing !== undefined) return `${climbing}: a path without ".." is needed`;
  const deep = paths.find((path) => path.split('**').length > MOST_DEEP + 1);
  if (deep !== undefined) return `${deep}: a path has \`**\` at most ${MOST_DEEP} times`;
  if (effect !== 'allow') return count === null ? null : 'count is for [[allow]] only';
  return allowProblemOf(tools, commands, paths);
}

/** What an `allow` must say: what it leaves open, it would allow. */
function allowProblemOf(
  tools: readonly string[],
  commands: readonly (readonly string[])[],
  paths: readonly string[],
): string | null {
  const open = tools.find((tool) => tool.includes('*') && !/^mcp__[^*]+__/.test(tool));
  if (open !== undefined) return `${open}: an allow names its tools; \`*\` may follow mcp__SERVER__ only`;
  if (tools.includes(SHELL_TOOL) && commands.length === 0) return `an allow for ${SHELL_TOOL} names its commands`;
  if (paths.length > 0 && tools.length === 0) return 'an allow with a path names its tools';
  const unnamed = paths.length === 0 ? tools.find((tool) => FILE_TOOLS.has(tool)) : undefined;
  if (unnamed !== undefined) return `an allow for ${unnamed} names its paths`;
  const other = paths.length === 0 ? undefined : tools.find((tool) => !FILE_TOOLS.has(tool));
  if (other !== undefined) return `${other} has no path`;
  for (const words of commands) {
    const [name = '', script] = words.filter((word) => !isAssignment(word));
    if (name.includes('*')) return `${words.join(' ')}: the program of an allowed command is written out`;
    const needsScript = scriptProgram(name) && words.some((word) => word.includes('*'));
    if (needsScript && (script === undefined || script.includes('*') || script.startsWith('-')))
      return `${words.join(' ')}: ${name} runs any program; name its script, or the whole command`;
  }
  return null;
}

export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*\+?=/.test(word);

/** A rule's id: two FNV-1a sums of its content. Two rules of the same content share it, and their count. */
function idOf(effect: RuleEffect, folder: string | null, fields: RuleFields): string {
  const content = JSON.stringify([effect, folder, Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))]);
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let index = 0; index < content.length; index++) {
    const code = content.charCodeAt(index);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000193) ^ (a >>> 15);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
