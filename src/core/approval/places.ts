import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import type { ApprovalRule, AskedCall } from './rule.ts';
import { type ReadCommand, readCommand } from './shell-command.ts';

/** Where a path leads: links followed as far as it exists. Null: that cannot be told. */
export type Places = ReadonlyMap<string, string | null>;

/** A path, and the directory that it is relative to, as one key. */
export const placeKey = (base: string, path: string): string => `${base}\0${path}`;

/** A file or folder that a call names. */
export interface NamedPath {
  base: string;
  path: string;
}

/** The shell command of a call; null for other tools, and for input that has more than a command. */
export function commandOf({ tool, input }: AskedCall): ReadCommand | null {
  const command = tool === SHELL_TOOL ? fieldOf(input, 'command') : null;
  return command === null ? null : readCommand(command);
}

export function fieldOf(input: unknown, field: string): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) return null;
  const value = (input as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value : null;
}

/** The directories that relative words of a command may be relative to: where it runs, and where a `cd` leads. */
export function basesOf(call: AskedCall, command: ReadCommand): string[] {
  const { cwd } = call;
  if (cwd === null) return [];
  const targets = command.commands.flatMap(({ words }) =>
    words[0] === 'cd' && words[1] !== undefined ? [words[1]] : [],
  );
  return [cwd, ...targets.map((target) => (target.startsWith('/') ? target : `${cwd}/${target}`))];
}

/** What of a word may be a path: `--file=a/b`, `-Ia/b`, `host:a/b`. */
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

/** The path that a tool for files names; its folder where it names none. */
export function fileOf({ tool, input, cwd }: AskedCall): string | null {
  const field = FILE_TOOLS.get(tool);
  if (field === undefined) return null;
  const isNamed = typeof input === 'object' && input !== null && Object.hasOwn(input, field);
  return isNamed || field !== 'path' ? fieldOf(input, field) : cwd;
}

/** The part of a pattern before its first `*`, which may lead over links itself. */
export function fixedPart(pattern: string): string {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern;
  const slash = pattern.lastIndexOf('/', star);
  return slash < 0 ? '' : pattern.slice(0, slash + 1);
}

/** The folder that a rule's paths are relative to. */
export const baseOfRule = (rule: ApprovalRule, call: AskedCall): string | null => rule.folder ?? call.folder;

/** Every path whose place the decision needs: those that the call names, and those of the rules. */
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
