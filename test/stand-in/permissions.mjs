// Which tools may run without asking, and what an "always" would store.
import { dirname, resolve } from 'node:path';

/** Tools whose use is a question. */
export const ASKS_BY_ITSELF = new Set(['AskUserQuestion', 'ExitPlanMode']);
const WRITES = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit']);
const READS = new Set(['Read', 'Glob', 'Grep', 'LS', 'TodoWrite', 'TaskStop']);
/** Commands that only read, so that nothing needs to be asked in the project's folder. */
const READ_ONLY = /^(cat|cd|date|echo|false|grep|head|ls|printf|pwd|sleep|sort|tail|true|uname|wc|which|whoami)\b/;
const CHANGES_FILES = /^(touch|mkdir|rm|rmdir|mv|cp|sed)\b/;

/** @param {string} rule @param {string} tool @param {any} input @param {string} cwd */
function covers(rule, tool, input, cwd) {
  const [, name, argument] = /^([A-Za-z_]+)(?:\((.*)\))?$/s.exec(rule) ?? [];
  if (name !== tool) return false;
  if (argument === undefined) return true;
  const value = tool === 'Bash' ? String(input.command ?? '') : resolve(cwd, String(input.file_path ?? ''));
  if (tool !== 'Bash') return value === resolve(cwd, argument);
  if (argument.endsWith(':*')) {
    const prefix = argument.slice(0, -2);
    return (value === prefix || value.startsWith(`${prefix} `)) && !/[;&|`<>$(\n]/.test(value.slice(prefix.length));
  }
  if (argument.includes('*')) {
    const pattern = argument.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${pattern.join('.*')}$`, 's').test(value);
  }
  return value === argument;
}

/** Each part of a compound command may have a rule of its own. */
function isEachIn(/** @type {readonly string[]} */ rules, /** @type {string} */ command, /** @type {string} */ cwd) {
  const parts = command.split(/&&|\|\||;|\|/).map((part) => part.trim());
  return parts.every(
    (part) => rules.some((rule) => covers(rule, 'Bash', { command: part }, cwd)) || READ_ONLY.test(part),
  );
}

const isInside = (/** @type {string} */ path, /** @type {string} */ folder) =>
  path === folder || path.startsWith(`${folder}/`);

/** The paths that a command names outside the folders in which Claude Code may work. */
export function pathsOutside(
  /** @type {string} */ command,
  /** @type {string} */ cwd,
  /** @type {readonly string[]} */ folders,
) {
  return command
    .split(/\s+/)
    .slice(1)
    .filter((word) => word.startsWith('/') || word.startsWith('..') || word.startsWith('~'))
    .map((word) => resolve(cwd, word.replace(/^~/, process.env.HOME ?? '~')))
    .filter((path) => ![cwd, ...folders].some((folder) => isInside(path, folder)));
}

/**
 * What an "always" would store for this session, as Claude Code 2.1.330 suggests it.
 * @param {string} tool @param {any} input @param {{ cwd: string, folders: readonly string[] }} place
 * @returns {any[] | undefined}
 */
export function suggestions(tool, input, { cwd, folders }) {
  if (ASKS_BY_ITSELF.has(tool)) return undefined;
  if (tool === 'Bash') {
    const command = String(input.command ?? '');
    const outside = pathsOutside(command, cwd, folders);
    const changes = CHANGES_FILES.test(command);
    const accept = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
    if (outside.length > 0 && (changes || READ_ONLY.test(command))) {
      const directories = [...new Set(outside.map((path) => dirname(path)))];
      return [{ type: 'addDirectories', directories, destination: 'session' }, ...(changes ? [accept] : [])];
    }
    if (changes) return [accept];
    const rule = { toolName: 'Bash', ruleContent: ruleFor(command) };
    return [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' }];
  }
  if (WRITES.has(tool)) return [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  return [{ type: 'addRules', rules: [{ toolName: tool }], behavior: 'allow', destination: 'localSettings' }];
}

/** @param {string} command */
function ruleFor(command) {
  const words = command.split(' ');
  return /[;&|<>`$(\n]/.test(command) || words.length === 1 ? command : `${words.slice(0, 2).join(' ')} *`;
}

/**
 * @param {{ tool: string, input: any, mode: string, cwd: string, planFile: string, folders: readonly string[],
 *   rules: { allow: readonly string[], deny: readonly string[], ask: readonly string[] } }} call
 * @returns {'allow' | 'deny' | 'ask'}
 */
export function decide({ tool, input, mode, cwd, planFile, folders, rules }) {
  const isIn = (/** @type {readonly string[]} */ list) => list.some((rule) => covers(rule, tool, input, cwd));
  if (isIn(rules.deny)) return 'deny';
  if (ASKS_BY_ITSELF.has(tool)) return 'ask';
  if (mode === 'bypassPermissions') return 'allow';
  if (isIn(rules.ask)) return 'ask';
  if (isIn(rules.allow) || (tool === 'Bash' && isEachIn(rules.allow, String(input.command ?? ''), cwd))) return 'allow';
  if (mode === 'dontAsk') return 'deny';
  if (tool === 'Bash') {
    const command = String(input.command ?? '');
    const isInHere = pathsOutside(command, cwd, folders).length === 0 && !/[;&|<>`$(\n]/.test(command);
    if (isInHere && READ_ONLY.test(command)) return 'allow';
    return isInHere && mode === 'acceptEdits' && CHANGES_FILES.test(command) ? 'allow' : 'ask';
  }
  const path = resolve(cwd, String(input.file_path ?? input.path ?? '.'));
  const isHere = [cwd, ...folders].some((folder) => isInside(path, folder));
  if (READS.has(tool)) return isHere ? 'allow' : 'ask';
  if (WRITES.has(tool)) return path === planFile || (isHere && mode === 'acceptEdits') ? 'allow' : 'ask';
  return 'ask';
}
