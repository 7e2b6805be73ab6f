import { CatalogueError } from '../../protocol/index.ts';

/** The variables that lead a session's processes to the spool, and by which CBOS recognizes these processes. */
export const SPOOL_VARIABLE = 'CBOS_SPOOL';
export const LAUNCH_VARIABLE = 'CBOS_SESSION';

/**
 * Variables in the server's environment that must not reach a session, in addition to all those that begin with
 * `CBOS_`:
 * - `STY`, `WINDOW`, `TERMCAP`, `TMUX`, `TMUX_PANE`: describe the server's terminal, not the session's
 * - `CLAUDECODE`: Claude Code 2.1.50 refuses to start if it is set
 * - `CLAUDE_CODE_CHILD_SESSION`: keeps Claude Code from writing the registry file and the transcript (2.1.329)
 * - `CLAUDE_CODE_SIMPLE`: disables hooks
 * - `CLAUDE_CODE_ENTRYPOINT`, `CLAUDE_CODE_SSE_PORT`, `CLAUDE_CODE_SESSION_ID`: belong to the Claude Code process that
 *   started the server
 */
const NEVER_INHERITED: ReadonlySet<string> = new Set([
  'STY',
  'WINDOW',
  'TERMCAP',
  'TMUX',
  'TMUX_PANE',
  'CLAUDECODE',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_CODE_SIMPLE',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_SSE_PORT',
  'CLAUDE_CODE_SESSION_ID',
]);

export interface SessionEnvironmentOptions {
  /** a unique id for each launch; it marks the session's processes and the files of its hooks */
  launchId: string;
  /** absolute path of the hook spool */
  spool: string;
  /** variables that the user adds with `--env K=V` */
  extra?: Readonly<Record<string, string>>;
  /** the git worktree that CBOS made for the session, or that the session was given */
  worktree?: SessionWorktree | undefined;
  /** whether Claude Code may use the alternate screen, which has no scrollback */
  alternateScreen: boolean;
}

/** What programs in a worktree may need to know about it. */
export interface SessionWorktree {
  path: string;
  branch: string;
  /** the main checkout of the worktree's repository */
  repository: string;
  port?: number | undefined;
}

/**
 * Returns the variables that describe a worktree. The worktree's port has a variable of its own, because `cbos` itself
 * uses `CBOS_PORT` to find the server.
 */
function worktreeVariables({ path, branch, repository, port }: SessionWorktree): Record<string, string> {
  return {
    CBOS_WORKTREE: path,
    CBOS_BRANCH: branch,
    CBOS_REPOSITORY: repository,
    ...(port === undefined ? {} : { CBOS_WORKTREE_PORT: String(port) }),
  };
}

/**
 * Returns a session's environment: the server's environment without the variables that would confuse Claude Code, plus
 * the variables that connect the session to CBOS.
 * @throws CatalogueError invalid_request if an added name or value is not valid in an environment, or if the name is
 * reserved for CBOS
 */
export function sessionEnvironment(
  base: Readonly<Record<string, string | undefined>>,
  options: SessionEnvironmentOptions,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value !== undefined && !name.startsWith('CBOS_') && !NEVER_INHERITED.has(name)) environment[name] = value;
  }
  if (!options.alternateScreen) environment.CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN = '1';
  const own = options.worktree === undefined ? {} : worktreeVariables(options.worktree);
  for (const [name, value] of Object.entries(options.extra ?? {})) {
    checkVariable(name, value, own);
    environment[name] = value;
  }
  Object.assign(environment, own);
  environment[SPOOL_VARIABLE] = options.spool;
  environment[LAUNCH_VARIABLE] = options.launchId;
  return environment;
}

function checkVariable(name: string, value: string, own: Readonly<Record<string, string>>): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new CatalogueError('invalid_request', `${JSON.stringify(name)} isn't a valid environment variable name`);
  }
  if (value.includes('\0')) {
    throw new CatalogueError('invalid_request', `the value of ${name} contains a NUL character`);
  }
  if (name === SPOOL_VARIABLE || name === LAUNCH_VARIABLE || Object.hasOwn(own, name)) {
    throw new CatalogueError('invalid_request', `${name} is set by CBOS itself`);
  }
}
