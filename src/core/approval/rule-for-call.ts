import { unwrap } from './command-pattern.ts';
import { commandOf, fieldOf } from './places.ts';
import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import { exactPattern } from './suggest.ts';

/** A rule that allows exactly one call, word for word. */
export interface RuleForCall {
  tool?: string[];
  command?: string[];
  path?: string[];
  /** the folder whose sessions the rule applies to, including sessions in its subfolders */
  project: string;
}

/** Why no rule can be made for a call, worded for users. */
export interface NoRule {
  why: string;
}

const UNCLEAR = 'the command has parts that no rule can match exactly';
const WIDE =
  'CBOS does not create rules for commands that run other commands, delete or overwrite files, or use the network';
const OTHER =
  'CBOS creates rules only for commands and files, because a rule for this tool would allow every call of it';

/**
 * Makes the narrowest rule for a call that the user has seen: a rule for its simple commands, word for word, or for its
 * one file. The rule is never broader than a suggestion is allowed to be.
 * @param folder the session's folder, with symbolic links resolved
 */
export function ruleForCall(call: { tool: string; input: unknown }, folder: string): RuleForCall | NoRule {
  const { tool, input } = call;
  if (tool === SHELL_TOOL) {
    const read = commandOf(call);
    if (read === null || read.unclear !== null) return { why: UNCLEAR };
    // A leading `cd` into the folder needs no rule. No rule can be made for any other `cd`.
    const commands = read.commands.map(unwrap).filter(({ words: [name] }) => name !== 'cd');
    const patterns = commands.map((one) => exactPattern(one)?.join(' ') ?? null);
    if (patterns.length === 0 || patterns.includes(null)) return { why: WIDE };
    return { command: [...new Set(patterns.filter((one) => one !== null))], project: folder };
  }
  const field = FILE_TOOLS.get(tool);
  const path = field === undefined ? null : fieldOf(input, field);
  // A `*` in a path would act as a wildcard and match other paths.
  if (path === null || !path.startsWith('/') || path.includes('*')) return { why: OTHER };
  return { tool: [tool], path: [path], project: folder };
}
