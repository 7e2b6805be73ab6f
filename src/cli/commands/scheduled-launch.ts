import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  PERMISSION_MODES,
  type PermissionMode,
  type ScheduleLaunch,
  type ScheduleOverlap,
  SESSION_TYPES,
  type SessionType,
} from '../../protocol/index.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { readDollars, readWhole } from './option-values.ts';
import { collectTag } from './selector-options.ts';

/**
 * The options for a schedule that launches a new session for each run. They have the same names as the options of `cbos
 * new`.
 */
export interface LaunchOptions {
  /** true if no path was given and the current directory is used */
  new?: string | true;
  as?: string;
  type?: SessionType;
  permissionMode?: PermissionMode;
  model?: string;
  worktree?: true;
  from?: string;
  tag?: readonly string[];
  maxBudgetUsd?: number;
  overlap?: ScheduleOverlap;
  keep?: number;
}

/** The maximum number of sessions that a schedule can keep in the list, as defined by the protocol. */
const MOST_KEPT = 1_000;

export function addLaunchOptions(command: Command): Command {
  return command
    .option('--new [path]', 'start a new session for each run, in this directory; default: the current one')
    .option('--as <name>', "with --new: call the sessions NAME-1, NAME-2, …; default: the schedule's name")
    .addOption(new Option('--type <type>', 'with --new: the type of the sessions').choices(SESSION_TYPES))
    .addOption(
      new Option('--permission-mode <mode>', "with --new: Claude Code's permission mode").choices(PERMISSION_MODES),
    )
    .option('-m, --model <model>', 'with --new: the model; accepts what claude --model accepts')
    .option('-w, --worktree', 'with --new: launch each session in its own git worktree')
    .option('--from <ref>', 'with --worktree: where its branch starts')
    .option('--tag <tag>', 'with --new: a tag for each session; may be repeated', collectTag)
    .option('--max-budget-usd <amount>', 'with --new: the maximum cost of each JSON session, in dollars', readDollars)
    .addOption(
      new Option(
        '--overlap <what>',
        'with --new: what to do while the previous session is working or asking something',
      ).choices(['skip', 'launch']),
    )
    .option(
      '--keep <n>',
      'with --new: how many sessions stay listed; older ones that are done are parked and archived',
      readWhole(1, MOST_KEPT),
    );
}

/** Returns the session that a schedule launches, or undefined if the schedule launches none. */
export function scheduledLaunch(
  { io, passedArgs }: CliContext,
  { schedule, options }: { schedule: string; options: LaunchOptions },
): ScheduleLaunch | undefined {
  const { new: path, as: name = schedule, permissionMode, maxBudgetUsd, worktree, from, tag, ...same } = options;
  const { type, model, overlap, keep } = same;
  const given = { permissionMode, maxBudgetUsd, worktree, from, tag, as: options.as, type, model, overlap, keep };
  if (path === undefined) {
    const named = Object.entries(given).find(([, value]) => value !== undefined);
    if (named === undefined) return undefined;
    throw new UsageError(`--${kebab(named[0])} needs --new`, 'add --new');
  }
  if (from !== undefined && worktree === undefined) {
    throw new UsageError('--from needs --worktree', 'add --worktree');
  }
  return {
    name,
    path: resolve(io.cwd, path === true ? '.' : path),
    type: type ?? 'screen',
    ...withoutUndefined({ model, permission_mode: permissionMode, max_budget_usd: maxBudgetUsd, overlap, keep }),
    ...(worktree === undefined ? {} : { worktree: withoutUndefined({ from }) }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(passedArgs.length === 0 ? {} : { args: [...passedArgs] }),
  };
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
