import { type RuleEffect, RuleFields } from '../../protocol/index.ts';
import { scriptProgram } from './programs.ts';
import type { ApprovalRule } from './rule.ts';

/** An error in a rule or in a rules file. */
export interface RuleProblem {
  problem: string;
}

const EFFECTS = ['allow', 'deny', 'ask'] as const satisfies readonly RuleEffect[];

/** The maximum number of rules. CBOS tries each rule on every call, and no one would read more rules than this. */
const MOST_RULES = 1_000;
/**
 * The maximum number of `**` in a pattern. Each one multiplies the number of steps in a comparison by the depth of the
 * path.
 */
const MOST_DEEP = 2;

/** The tools that work on a single file or folder, with the input field that names it. */
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

/** The file tools that change a file. */
export const WRITING_TOOLS: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'NotebookEdit']);

/** The tools that ask questions or present plans. Rules never answer these; only the user does. */
export const FOR_PEOPLE: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** The tool that runs a shell command. */
export const SHELL_TOOL = 'Bash';

/**
 * Reads all the rules in a file, or returns what is wrong with the file. A file is never read in part, because the part
 * that was not read could contain a `deny`.
 * @param file.mayAllow false for a project's own rules file
 */
export function readRules(
  values: Readonly<Record<string, unknown>>,
  file: { mayAllow: boolean; folder: string | null },
): ApprovalRule[] | RuleProblem {
  const unknown = Object.keys(values).find((key) => !EFFECTS.some((effect) => effect === key));
  if (unknown !== undefined)
    return { problem: `it contains ${unknown}; only [[allow]], [[deny]] and [[ask]] are allowed` };
  const rules: ApprovalRule[] = [];
  for (const effect of EFFECTS) {
    const listed = values[effect] ?? [];
    if (!Array.isArray(listed)) return { problem: `${effect} isn't a list of tables; write [[${effect}]]` };
    for (const [index, fields] of listed.entries()) {
      const rule = readRule({ effect, fields, id: '', folder: file.folder });
      const place = `[[${effect}]] number ${index + 1}`;
      if ('problem' in rule) return { problem: `${place}: ${rule.problem}` };
      if (effect === 'allow' && !file.mayAllow) return { problem: `${place}: a project's file can only deny and ask` };
      rules.push(rule);
    }
  }
  return rules.length > MOST_RULES ? { problem: `it has more than ${MOST_RULES} rules` } : rules;
}

/**
 * @param given.id the rule's id; an empty id is replaced with one computed from the rule's content, so that a changed
 * rule counts as a different rule
 */
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
    return { problem: `${where === '' ? '' : `${where}: `}${issue?.message ?? "it isn't a valid rule"}` };
  }
  const { tool, command, path, project, session, expires, count = null, note = null } = read.data;
  const rule: ApprovalRule = {
    id: given.id === '' ? idOf(effect, folder, read.data) : given.id,
    effect,
    tools: listOf(tool),
    commands: listOf(command).map((text) => text.split(/\s+/).filter((word) => word !== '')),
    paths: listOf(path),
    projects: listOf(project),
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

/** TOML has a type of its own for dates. */
function withTextDates(fields: unknown): unknown {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return fields;
  const { expires } = fields as { expires?: unknown };
  return expires instanceof Date && !Number.isNaN(expires.getTime())
    ? { ...fields, expires: new Date(expires.getTime()).toISOString() }
    : fields;
}

function problemOf({ effect, tools, commands, paths, projects, count }: ApprovalRule): string | null {
  if (tools.length + commands.length + paths.length === 0) return 'it must name a tool, a command or a path';
  if (commands.length > 0 && paths.length > 0) return 'it has both a command and a path; write two rules';
  if (commands.some((words) => words.length === 0)) return 'a command is empty';
  if (commands.length > 0 && tools.some((tool) => tool !== SHELL_TOOL))
    return `only a rule for ${SHELL_TOOL} can have a command`;
  const relative = projects.find((one) => !/^\/(?!.*(?:^|\/)\.\.(?:\/|$))/.test(one) || one.includes('*'));
  if (relative !== undefined) return `${relative}: a project must be an absolute path without wildcards`;
  const inner = commands.flatMap((words) => words.slice(0, -1)).find((word) => word === '**');
  if (inner !== undefined) return '`**` is allowed only at the end of a command';
  const climbing = paths.find((path) => path.split('/').includes('..'));
  if (climbing !== undefined) return `${climbing}: a path cannot contain ".."`;
  const deep = paths.find((path) => path.split('**').length > MOST_DEEP + 1);
  if (deep !== undefined) return `${deep}: a path may have \`**\` at most ${MOST_DEEP} times`;
  if (effect !== 'allow') return count === null ? null : '`count` is allowed only in [[allow]]';
  return allowProblemOf(tools, commands, paths);
}

/**
 * Returns what is wrong with an `allow` that is too broad, or null if it is acceptable. An `allow` permits everything
 * that it does not restrict.
 */
function allowProblemOf(
  tools: readonly string[],
  commands: readonly (readonly string[])[],
  paths: readonly string[],
): string | null {
  const open = tools.find((tool) => tool.includes('*') && !/^mcp__[^*]+__/.test(tool));
  if (open !== undefined)
    return `${open}: an allow rule must name its tools; \`*\` is allowed only after mcp__SERVER__`;
  if (tools.includes(SHELL_TOOL) && commands.length === 0)
    return `an allow rule for ${SHELL_TOOL} must name its commands`;
  if (paths.length > 0 && tools.length === 0) return 'an allow rule with a path must name its tools';
  const unnamed = paths.length === 0 ? tools.find((tool) => FILE_TOOLS.has(tool)) : undefined;
  if (unnamed !== undefined) return `an allow rule for ${unnamed} must name its paths`;
  const other = paths.length === 0 ? undefined : tools.find((tool) => !FILE_TOOLS.has(tool));
  if (other !== undefined) return `${other} has no path`;
  for (const words of commands) {
    const [name = '', script] = words.filter((word) => !isAssignment(word));
    if (name.includes('*')) return `${words.join(' ')}: an allow rule must name the program without wildcards`;
    const needsScript = scriptProgram(name) && words.some((word) => word.includes('*'));
    if (needsScript && (script === undefined || script.includes('*') || script.startsWith('-')))
      return `${words.join(' ')}: ${name} can run any program; name the script that it runs, or the whole command`;
  }
  return null;
}

export const isAssignment = (word: string): boolean => /^[A-Za-z_]\w*\+?=/.test(word);

/**
 * Computes a rule's id from two FNV-1a hashes of its content. Two rules with the same content share an id, and
 * therefore also share the count of how often they were used.
 */
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
