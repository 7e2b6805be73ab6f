import { resolve } from 'node:path';
import type { NewWorktree, PermissionMode, RouteInput, SessionType } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';
import { withoutUndefined } from '../without-undefined.ts';

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
  return { ...(branch === true ? {} : { branch }), ...withoutUndefined({ from, existing, set_up: setUp }) };
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
  const { prompt, permissionMode, model, cols, rows, maxBudgetUsd, tag, env, worktree, sameFolder } = options;
  return {
    slug,
    path: resolve(context.io.cwd, path ?? '.'),
    type: options.type ?? defaultType,
    ...withoutUndefined({ prompt, permission_mode: permissionMode, model, cols, rows, max_budget_usd: maxBudgetUsd }),
    ...withoutUndefined({ env, same_folder: sameFolder }),
    ...(tag === undefined ? {} : { tags: [...tag] }),
    ...(worktree === undefined ? {} : { worktree: worktreeBody(worktree, options) }),
    ...(context.passedArgs.length === 0 ? {} : { args: [...context.passedArgs] }),
  };
}
