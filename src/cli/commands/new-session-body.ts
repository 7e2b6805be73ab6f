import { resolve } from 'node:path';
import type { NewWorktree, PermissionMode, RouteInput, SessionType } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';

/** The options of `cbos new`. */
export interface NewOptions {
  type?: SessionType;
  prompt?: string;
  permissionMode?: PermissionMode;
  model?: string;
  cols?: number;
  rows?: number;
  maxBudgetUsd?: number;
  env?: Record<string, string>;
  /** true if no branch was given; a new branch is then named after the session */
  worktree?: string | true;
  from?: string;
  existing?: boolean;
  setUp?: boolean;
  sameFolder?: boolean;
  times?: number;
  tag?: readonly string[];
  host?: string;
  label?: readonly string[];
  json?: boolean;
}

export type LaunchBody = RouteInput<'createSession'>['body'];

function worktreeBody(branch: string | true, { from, existing, setUp }: NewOptions): NewWorktree {
  return {
    ...(branch === true ? {} : { branch }),
    ...(from === undefined ? {} : { from }),
    ...(existing === undefined ? {} : { existing }),
    ...(setUp === undefined ? {} : { set_up: setUp }),
  };
}

/** Returns the request that launches a session as the options of `cbos new` describe it. */
export function newSessionBody(request: {
  context: CliContext;
  slug: string;
  path: string | undefined;
  options: NewOptions;
  defaultType: SessionType;
}): LaunchBody {
  const { context, slug, path, options, defaultType } = request;
  return {
    slug,
    path: resolve(context.io.cwd, path ?? '.'),
    type: options.type ?? defaultType,
    ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
    ...(options.permissionMode === undefined ? {} : { permission_mode: options.permissionMode }),
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.cols === undefined ? {} : { cols: options.cols }),
    ...(options.rows === undefined ? {} : { rows: options.rows }),
    ...(options.maxBudgetUsd === undefined ? {} : { max_budget_usd: options.maxBudgetUsd }),
    ...(options.tag === undefined ? {} : { tags: [...options.tag] }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.worktree === undefined ? {} : { worktree: worktreeBody(options.worktree, options) }),
    ...(options.sameFolder === undefined ? {} : { same_folder: options.sameFolder }),
    ...(context.passedArgs.length === 0 ? {} : { args: [...context.passedArgs] }),
  };
}
