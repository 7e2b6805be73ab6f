import type { SessionType } from '../../protocol/index.ts';
import { CLAUDE_COMMANDS } from './claude-flags.ts';
import { type ReadArgument, readArguments } from './read-arguments.ts';

/** The user's arguments, with those taken out that CBOS passes itself. */
export interface PlannedArguments {
  args: readonly string[];
  permission_mode?: string;
  model?: string;
  max_budget_usd?: number;
}

/** Why CBOS does not launch Claude Code with an argument, and what the user can do instead. */
export interface RefusedArgument {
  argument: string;
  cure: string;
}

/** The flags whose value CBOS has an option of its own for. */
const OWN_OPTIONS = {
  '--permission-mode': 'permission_mode',
  '--model': 'model',
  '--max-budget-usd': 'max_budget_usd',
} as const;

/** The flags that choose the conversation of a launch. */
const CHOOSES: ReadonlySet<string> = new Set(['-c', '--continue', '-r', '--resume', '--session-id', '--from-pr']);

/** The flags that count only until the session has a conversation of its own. So does a prompt among the arguments. */
const ONCE: ReadonlySet<string> = new Set([...CHOOSES, '--fork-session', '--prefill']);

/** Returns the first argument that CBOS refuses for a session of this type, or null if there is none. */
export function refusedArgument(type: SessionType, args: readonly string[]): RefusedArgument | null {
  const read = readArguments(args);
  for (const { flag, row, values } of read) {
    const treatment = row?.[type];
    if (flag !== null && typeof treatment === 'object') return { argument: flag, cure: treatment.refused };
    if (flag === '--max-budget-usd' && type === 'json' && !(Number(values[0]) > 0)) {
      return { argument: flag, cure: 'Give an amount in dollars, as in `--max-budget-usd 5`' };
    }
  }
  // Claude Code would take the settings that CBOS passes after it as the value.
  if (read.some(({ flag, values }) => flag === '--settings' && (values[0] ?? '') === '')) {
    return { argument: '--settings', cure: 'Name a settings file, as in `--settings mine.json`, or give JSON' };
  }
  const [word] = read.filter(({ flag }) => flag === null).flatMap(({ values }) => values);
  if (word !== undefined && CLAUDE_COMMANDS.includes(word)) {
    return { argument: word, cure: `\`claude ${word}\` starts no session: run it yourself` };
  }
  if (word !== undefined && type === 'json') {
    return { argument: word, cure: 'Give the first prompt of a JSON session with `--prompt`' };
  }
  return forksNothing(read)
    ? { argument: '--fork-session', cure: '`cbos fork` copies a session; or name a conversation with `--resume`' }
    : null;
}

const forksNothing = (read: readonly ReadArgument[]): boolean =>
  read.some(({ flag }) => flag === '--fork-session') && !read.some(({ flag }) => CHOOSES.has(flag ?? ''));

/** Reports whether the arguments choose the conversation of a launch. */
export const choosesConversation = (args: readonly string[]): boolean =>
  readArguments(args).some(({ flag }) => CHOOSES.has(flag ?? ''));

/**
 * Reports whether a launch with these arguments can be repeated before it has led to a conversation. Another launch
 * could choose a conversation that belongs to another session by now, and a prompt could be sent again. A word after a
 * flag that the table does not know may be a prompt.
 */
export const isRepeatable = (args: readonly string[]): boolean =>
  readArguments(args).every(
    ({ flag, row, words }) => flag !== null && !CHOOSES.has(flag) && (row !== null || words.length === 1),
  );

/** Takes out the arguments that CBOS has options of its own for. The caller has checked the arguments. */
export function planArguments(args: readonly string[]): PlannedArguments {
  const planned: PlannedArguments & { args: string[] } = { args: [] };
  for (const { flag, values, words } of wordsOf(args)) {
    const option = OWN_OPTIONS[flag as keyof typeof OWN_OPTIONS];
    const value = values[0];
    if (option === undefined || value === undefined) planned.args.push(...words);
    else if (option === 'max_budget_usd') planned.max_budget_usd = Number(value);
    else planned[option] = value;
  }
  return planned;
}

/** Keeps `--` in front of the words that follow it. */
function wordsOf(args: readonly string[]): ReadArgument[] {
  const at = args.indexOf('--');
  const read = readArguments(at === -1 ? args : args.slice(0, at));
  return at === -1 ? read : [...read, { flag: null, row: null, values: [], words: args.slice(at) }];
}

/** Returns the arguments for a launch that continues the session's own conversation. */
export function continuingArguments(args: readonly string[]): string[] {
  return readArguments(args).flatMap(({ flag, words }) => (flag === null || ONCE.has(flag) ? [] : words));
}

/**
 * Returns the arguments for a session that copies the conversation of another one. It works in a folder of its own, and
 * not in the worktree that the arguments of the other one name.
 */
export const forkedArguments = (args: readonly string[]): string[] =>
  readArguments(continuingArguments(args)).flatMap(({ row, words }) =>
    row?.names.includes('--worktree') === true ? [] : words,
  );

/** The conversation that a user's arguments choose. */
export type ChosenConversation = { kind: 'id'; id: string } | { kind: 'newest' } | { kind: 'name'; name: string };

/**
 * Returns the conversation that the arguments continue and that Claude Code writes to. Returns null if they choose
 * none, if they copy it, or if only the user can tell which one it is, from Claude Code's list.
 */
export function chosenConversation(args: readonly string[]): ChosenConversation | null {
  const read = readArguments(args);
  if (read.some(({ flag }) => flag === '--fork-session')) return null;
  // Claude Code prefers it to every other choice, wherever it stands (2.1.330).
  if (read.some(({ row }) => row?.names.includes('--continue') === true)) return { kind: 'newest' };
  for (const { flag, values } of read.toReversed()) {
    if (flag !== '-r' && flag !== '--resume' && flag !== '--session-id') continue;
    const value = values[0] ?? '';
    const id = /^(?:.*\/)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.jsonl)?$/i.exec(value)?.[1];
    if (id !== undefined) return { kind: 'id', id: id.toLowerCase() };
    const isName = flag !== '--session-id' && value.trim() !== '' && !value.endsWith('.jsonl');
    return isName ? { kind: 'name', name: value } : null;
  }
  return null;
}

/** Returns the conversation that the arguments continue by its id; null if they continue none, or in another way. */
export function resumedConversation(args: readonly string[]): string | null {
  const chosen = chosenConversation(args);
  const isResumed = readArguments(args)
    .findLast(({ flag }) => CHOOSES.has(flag ?? ''))
    ?.row?.names.includes('--resume');
  return chosen?.kind === 'id' && isResumed === true ? chosen.id : null;
}

/** How `--worktree` may name a pull request, whose worktree is `pr-NUMBER`. */
const PULL_REQUEST =
  /^(?:#|https?:\/\/[^/]+\/[^/]+\/[^/]+\/pull\/|https?:\/\/[^/]+\/[^?#]+\/-\/merge_requests\/)(\d+)\/?(?:[?#].*)?$/i;

/**
 * Returns the name of the folder in `.claude/worktrees` in which these arguments start Claude Code, or null if they
 * name no worktree. Claude Code writes a slash of the name as a plus sign (2.1.330).
 */
export function worktreeArgument(args: readonly string[]): string | null {
  const named = readArguments(args).findLast(({ row }) => row?.names.includes('--worktree') === true)?.values[0];
  if (named === undefined) return null;
  const [, pullRequest] = PULL_REQUEST.exec(named) ?? [];
  return pullRequest === undefined ? named.replaceAll('/', '+') : `pr-${Number(pullRequest)}`;
}

/**
 * Gives a worktree without a name this one. Claude Code would make up a name at every launch, so a restart, or the next
 * process of a JSON session, would work in another new worktree, without the files of the last one (2.1.330).
 */
export const nameWorktree = (args: readonly string[], name: string): string[] =>
  wordsOf(args).flatMap(({ row, values, words }) =>
    row?.names.includes('--worktree') === true && (values[0] ?? '') === '' ? [`--worktree=${name}`] : words,
  );

/** Returns the settings that the user passes, of which Claude Code takes only the last; null if there are none. */
export function settingsArgument(args: readonly string[]): string | null {
  return (
    readArguments(args)
      .filter(({ flag }) => flag === '--settings')
      .at(-1)?.values[0] ?? null
  );
}

/** Returns the arguments without the settings that the user passes. */
export const withoutSettings = (args: readonly string[]): string[] =>
  wordsOf(args).flatMap(({ flag, words }) => (flag === '--settings' ? [] : words));
