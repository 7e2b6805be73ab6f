/**
 * Runs git in a repository that may be hostile. Every call through this file guarantees the following:
 *
 * - **Nothing from the repository runs.** This covers hooks, file system monitors, pagers, editors, signing programs,
 *   credential helpers, filters (clean, smudge, process), merge drivers, external diffs, text conversions, and hooks
 *   that the configuration defines. Filters are off regardless of who configured them, so a Git LFS file appears as its
 *   pointer; see docs/adr/0030.
 * - **Nothing from the server's environment reaches git**, except an allow-list that contains the location of the
 *   user's configuration and the user's identity (`git-environment.ts`). PATH keeps only absolute entries.
 * - **There is no network and no prompt.** Every transport is refused, including the fetch of a missing object in a
 *   partial clone.
 * - **File names are literal.** No character in a pathspec is special. Use `-z` with commands that list names. Only
 *   `check-ignore` refuses literal pathspecs (2.39), so put `./` before each name there.
 * - **A command that only reads takes no lock.** It also does not start a garbage collection.
 * - **Every call is bounded.** Output beyond `maxBytes` and time beyond `timeoutMs` are errors, and a result is never
 *   truncated.
 *
 * The caller has three duties. Put `--end-of-options` or `--` before a word that someone else chose (a branch may be
 * named `-f`). Pass `--ignore-submodules=dirty` or `all` to `status` and `diff`, because git would otherwise look into
 * a submodule and use the submodule's configuration. Never call a command whose purpose is to run a shell command
 * (`bisect run`, `rebase --exec`, `submodule foreach`).
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { requirePipes, startFault } from '../process/start-fault.ts';
import { DRIVER_KEYS, type Environment, findGit, gitEnvironment } from './git-environment.ts';

export interface GitPlace {
  /** an absolute directory; git behaves as if it had been started there */
  cwd: string;
  /** the environment of the server itself */
  environment: Environment;
}

export interface GitOptions extends GitPlace {
  /** what git receives on standard input */
  input?: string | Buffer;
  /** an index file to use instead of the index of the checkout */
  indexFile?: string;
  /** variables such as GIT_AUTHOR_DATE, which must come only from CBOS itself */
  variables?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  maxBytes?: number;
}

export interface GitResult {
  /** the exit code of git */
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** How long one call may take. Checking out a large repository on a slow disk takes minutes. */
const TIMEOUT_MS = 300_000;
/** How much one call may print. The names of a million files take less than this. */
const MAX_BYTES = 256_000_000;
/**
 * How much the command that reads the names of the drivers may print. Its output is small unless someone is trying to
 * overload the server.
 */
const MAX_CONFIG_BYTES = 4_000_000;

/** Commands that would run an external diff or a text conversion. */
const SHOWS_DIFFERENCES: ReadonlySet<string> = new Set([
  'diff',
  'diff-files',
  'diff-index',
  'diff-tree',
  'log',
  'show',
  'format-patch',
]);

/**
 * Commands that run no filter, no merge driver, no diff driver and no hook, whoever configured one: they neither read
 * the content of files in the checkout, nor show differences, nor change references, the index or files. Half of all
 * calls are of this kind, and CBOS need not read the names of the drivers for them.
 */
const RUNS_NO_DRIVER: ReadonlySet<string> = new Set([
  'check-ref-format',
  'for-each-ref',
  'merge-base',
  'rev-list',
  'rev-parse',
  'var',
]);

function runsNoDriver([command = '', next]: readonly string[]): boolean {
  return RUNS_NO_DRIVER.has(command) || (command === 'worktree' && next === 'list');
}

/**
 * Runs a git command and returns its result, regardless of the exit code.
 * @throws CatalogueError git_not_found, git_failed (time or size limit exceeded, or the repository is another user's),
 * process_limit
 */
export async function tryGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const program = findGit(options.environment);
  const driverKeys = runsNoDriver(args) ? [] : await readDriverKeys(program, options);
  const [command = '', ...rest] = args;
  const guards = SHOWS_DIFFERENCES.has(command) ? ['--no-ext-diff', '--no-textconv'] : [];
  const result = await run(program, [command, ...guards, ...rest], {
    ...options,
    variables: {
      ...gitEnvironment(options.environment, driverKeys),
      ...(command === 'check-ignore' ? { GIT_LITERAL_PATHSPECS: '0' } : {}),
      ...options.variables,
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    },
  });
  const refused = result.code === 0 ? null : refusedRepository(result.stderr);
  if (refused !== null) throw refused;
  return result;
}

/**
 * Runs a git command that must succeed.
 * @returns the standard output of the command, as bytes
 * @throws CatalogueError git_failed with git's own message, and everything that `tryGit` throws
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const result = await tryGit(args, options);
  if (result.code !== 0) throw gitFailed(args, result);
  return result.stdout;
}

/** Runs a git command that must succeed. Returns its output as text, without the last line feed. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  return (await runGit(args, options)).toString('utf8').replace(/\n$/, '');
}

/** Returns the error for a command that failed, with git's own message. */
export function gitFailed(args: readonly string[], result: Pick<GitResult, 'code' | 'stderr'>): CatalogueError {
  if (NO_ROOM.test(result.stderr)) {
    return new CatalogueError('disk_full', `git ${args[0]} failed because the repository's disk is full`, {
      hint: 'Free some space on that disk, then try again; nothing was changed',
    });
  }
  const missing = missingObjects(result.stderr);
  if (missing !== null) return missing;
  const lines = result.stderr.trim().split('\n');
  const kept = lines.filter((_, index) => index === 0 || index >= lines.length - MAX_SAID_LINES);
  const said = kept.join('; ').slice(0, MAX_SAID_CHARS);
  return new CatalogueError(
    'git_failed',
    `git ${args[0]} failed (exit ${result.code}): ${said || 'it gave no reason'}`,
  );
}
/**
 * Returns the error if git needed an object that a partial clone has not downloaded, or null. git may not fetch it,
 * because a repository could name any program as its transport.
 */
export function missingObjects(said: string): CatalogueError | null {
  if (!PARTIAL.test(said)) return null;
  const [, object] = /(?:could not fetch|unable to read(?: \w+)*?|missing \w+) ([0-9a-f]{40,64})\b/.exec(said) ?? [];
  const what = object === undefined ? 'an object' : `the object ${object.slice(0, 12)}`;
  return new CatalogueError('missing_objects', `This partial clone has not downloaded ${what} yet`);
}
/**
 * Returns the error if git refuses a repository because it belongs to another user, or null. Whatever was asked, the
 * answer is not known then: for example, a branch may exist. The hint is git's own command (2.38 to 2.45).
 */
export function refusedRepository(said: string): CatalogueError | null {
  const [, path] = /detected dubious ownership in repository at '(.*)'/.exec(said) ?? [];
  if (path === undefined) return null;
  const [, command] = /^\s*(git config --global --add safe\.directory .+)$/m.exec(said) ?? [];
  return new CatalogueError('git_failed', `git refuses the repository ${path}, because it belongs to another user`, {
    hint: `If you trust the repository, run \`${command ?? `git config --global --add safe.directory ${shellWord(path)}`}\``,
  });
}

/** Matches what git prints about an object that it would have to fetch (2.39 to 2.45). */
const PARTIAL = /\bfrom promisor remote\b|\blazy fetching disabled\b/;

/** How many of the last lines of git's message an error repeats, besides the first. Either may contain the reason. */
const MAX_SAID_LINES = 4;
const MAX_SAID_CHARS = 1_000;
/** Matches the kernel's messages about a full disk, as worded with LC_ALL=C. */
export const NO_ROOM = /No space left on device|Disk quota exceeded/;

/**
 * Returns the keys of all drivers in the configuration of this directory. They are read each time, because the session
 * that works in a repository may change the configuration.
 */
async function readDriverKeys(program: string, { cwd, environment, timeoutMs }: GitOptions): Promise<string[]> {
  const result = await run(program, ['config', '--null', '--name-only', '--get-regexp', DRIVER_KEYS], {
    cwd,
    variables: gitEnvironment(environment, []),
    maxBytes: MAX_CONFIG_BYTES,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  // Exit code 1 means that there are no such keys. Any other failure means that the configuration cannot be read, which
  // the command itself will report.
  return result.stdout
    .toString('utf8')
    .split('\0')
    .filter((key) => key !== '');
}

interface RunOptions {
  cwd: string;
  variables: Readonly<Record<string, string>>;
  input?: string | Buffer;
  timeoutMs?: number;
  maxBytes?: number;
}

function run(program: string, args: readonly string[], options: RunOptions): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      // The directory is passed with -C rather than as the child's working directory. If the working directory were
      // missing, Node would report that git itself is missing.
      ['--no-pager', '-C', options.cwd, ...args],
      {
        cwd: '/',
        env: { ...options.variables },
        encoding: 'buffer',
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        maxBuffer: options.maxBytes ?? MAX_BYTES,
        // git is ended with TERM rather than KILL, because it removes its lock files on TERM.
        killSignal: 'SIGTERM',
      },
      (error, stdout, stderr) => {
        const fault = error === null ? null : faultOf(args, error);
        if (fault !== null) reject(fault);
        else resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr: stderr.toString() });
      },
    );
    try {
      requirePipes(child);
    } catch (cause) {
      reject(cause);
      return;
    }
    // A command that ends before it has read its whole input causes EPIPE. Its exit code shows what went wrong.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

/** Returns why a call has no result, or null if git itself ended with an exit code. */
function faultOf(args: readonly string[], error: ExecFileException): Error | null {
  if (typeof error.code === 'number') return null;
  // If a program wrote too much, Node's code is a string, like the kernel's codes.
  const code: unknown = error.code;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new CatalogueError('git_failed', `git ${args[0]} printed more output than CBOS reads`, { cause: error });
  }
  if (code === 'ENOENT') return new CatalogueError('git_not_found', undefined, { cause: error });
  if (typeof code === 'string') return startFault(Object.assign(error, { code }));
  const how =
    error.killed === true ? 'took too long, so CBOS terminated it' : `was terminated by ${error.signal ?? 'a signal'}`;
  return new CatalogueError('git_failed', `git ${args[0]} ${how}`, { cause: error });
}
