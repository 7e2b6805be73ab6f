import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import type { ApprovalRule, AskedCall } from './rule.ts';
import { type ReadCommand, readCommand } from './shell-command.ts';

/** Where each path leads, with symbolic links resolved as far as the path exists, or null if that is unknown. */
export type Places = ReadonlyMap<string, string | null>;

/** Returns a key that identifies a path together with the directory that the path is relative to. */
export const placeKey = (base: string, path: string): string => `${base}\0${path}`;

/** A file or folder that is named in a call. */
export interface NamedPath {
  base: string;
  path: string;
}

/** Returns the shell command in a call, or null for other tools and for input that contains more than a command. */
export function commandOf({ tool, input }: Pick<AskedCall, 'tool' | 'input'>): ReadCommand | null {
  const command = tool === SHELL_TOOL ? fieldOf(input, 'command') : null;
  return command === null ? null : readCommand(command);
}

export function fieldOf(input: unknown, field: string): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) return null;
  const value = (input as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : null;
}

/**
 * Returns the directories that a command's words may be relative to: the directory where the command runs, and the
 * targets of `cd`.
 */
export function basesOf(call: AskedCall, command: ReadCommand): string[] {
  const { cwd } = call;
  if (cwd === null) return [];
  const targets = command.commands.flatMap(({ words }) =>
    words[0] === 'cd' && words[1] !== undefined ? [words[1]] : [],
  );
  return [cwd, ...targets.map((target) => (target.startsWith('/') ? target : `${cwd}/${target}`))];
}

/** Returns the parts of a word that could be a path, as in `--file=a/b`, `-Ia/b`, and `host:a/b`. */
export function pathsIn(word: string): string[] {
  const found = new Set([word]);
  for (const sign of ['=', ':']) {
    const at = word.indexOf(sign);
    if (at >= 0 && at + 1 < word.length) found.add(word.slice(at + 1));
  }
  if (/^-[A-Za-z]./.test(word)) found.add(word.slice(2));
  found.delete('');
  return [...found];
}

/** Returns the path in a file tool's input, or the working directory if the input contains none. */
export function fileOf({ tool, input, cwd }: AskedCall): string | null {
  const field = FILE_TOOLS.get(tool);
  if (field === undefined) return null;
  const isNamed = typeof input === 'object' && input !== null && Object.hasOwn(input, field);
  return isNamed || field !== 'path' ? fieldOf(input, field) : cwd;
}

/** Returns the part of a pattern before its first `*`. Only this part can contain symbolic links. */
export function fixedPart(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern;
  const slash = pattern.lastIndexOf('/', star);
  return slash < 0 ? '' : pattern.slice(0, slash + 1);
}

/** Returns the folder that the paths in a rule are relative to. */
export const baseOfRule = (rule: ApprovalRule, call: AskedCall): string | null => rule.folder ?? call.folder;

/** Returns every path that must be resolved before a decision: the paths in the call, and the paths in the rules. */
export function placesOf(call: AskedCall, rules: readonly ApprovalRule[]): NamedPath[] {
  const named: NamedPath[] = [];
  const command = commandOf(call);
  if (command !== null) {
    const bases = basesOf(call, command);
    const words = [...command.commands.flatMap(({ words }) => words), ...command.seen.flat()];
    const paths = [...words.flatMap(pathsIn), ...command.files.map(({ path }) => path), '.'];
    for (const base of bases) for (const path of paths) named.push({ base, path });
  }
  const file = fileOf(call);
  if (file !== null && call.cwd !== null) named.push({ base: call.cwd, path: file });
  for (const rule of rules) {
    const base = baseOfRule(rule, call);
    if (base !== null) for (const pattern of rule.paths) named.push({ base, path: fixedPart(pattern) });
  }
  return named;
}
