import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { type ApprovalRule, suggestRules } from '../../../src/core/approval/index.ts';
import { ALLOWED } from './covered.ts';
import type { DailyCommand } from './daily-command.ts';
import { DAILY_READING } from './daily-reading.ts';
import { DAILY_WORK } from './daily-work.ts';
import { allow, FOLDER, rulesOf } from './judge.ts';

/** Distinct command lines as sessions run them in ordinary projects, each program about as often as there. */
export const DAILY: readonly DailyCommand[] = [...DAILY_READING, ...DAILY_WORK];

/** Programs and subcommands whose arguments only name their input. CBOS suggests rules for any of their arguments. */
export const READERS: readonly string[] = [
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'stat', 'du', 'diff', 'cmp', 'nl', 'basename'],
  ...['status', 'diff', 'log', 'show', 'blame', 'ls-files', 'rev-parse', 'describe', 'shortlog'].map(
    (subcommand) => `git ${subcommand}`,
  ),
];

/** Returns the commands of the rules that CBOS suggests to a user who has allowed each reader with three arguments. */
export function suggestedCommands(): string[] {
  const commands = READERS.flatMap((reader) => ['a', 'b', 'c'].map((argument) => `${reader} ${argument}`));
  const answers = commands.map((command) => ({
    session: 'AUTH',
    folder: FOLDER,
    input: { command },
    said: 'yes' as const,
  }));
  return suggestRules(answers).map(({ command }) => command);
}

/** Returns the rules in the example at the top of `docs/RULES.md`, and the suggested rules. */
export function documentedRules(): ApprovalRule[] {
  const page = readFileSync(new URL('../../../docs/RULES.md', import.meta.url), 'utf8');
  const example = /```toml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  return [...rulesOf(parse(example)), ...allow(...suggestedCommands())];
}

/** Returns the rules of an owner who allows the project's tools with any arguments, one rule for each command. */
export function generousRules(): ApprovalRule[] {
  const programs = ['tail', 'wc', 'sort', 'uniq', 'stat', 'du', 'diff', 'tree', 'jq', 'tsc', 'pytest', 'eslint'];
  const subcommands = ['npm ls', 'go test', 'go build', 'cargo test', 'git show', 'git branch', 'git add'];
  const open = [...programs, ...subcommands, 'git commit', 'git stash list'].map((words) => `${words} **`);
  return rulesOf({ allow: [...ALLOWED, ...open].map((command) => ({ command })) });
}
