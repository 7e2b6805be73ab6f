/**
 * Runs git in a repository that may be hostile. What every call through this file guarantees:
 *
 * - **Nothing of the repository runs.** No hook, filesystem monitor, pager, editor, signing program, credential helper,
 *   filter (clean, smudge, process), merge driver, external diff, text conversion or hook of the configuration.
 *   Filters are off whoever configured them, so a file of Git LFS is its pointer: see docs/adr/0030.
 * - **Nothing of the server's environment** reaches git but an allow-list: where the person's configuration is, and
 *   who they are (`git-environment.ts`). PATH keeps absolute entries only.
 * - **No network and no question**: every transport is refused, also the fetch of a missing object of a partial clone.
 * - **File names are literal**: a pathspec has no magic. Use `-z` in what lists names.
 * - A command that only reads takes no lock. No garbage collection starts.
 * - **Bounded**: output beyond `maxBytes` and time beyond `timeoutMs` are errors, never a cut result.
 *
 * What the caller has to do: put `--end-of-options` or `--` before a word that somebody else chose (a branch `-f`),
 * pass `--ignore-submodules=dirty` or `all` to `status` and `diff` (git would look into a submodule, with the
 * submodule's configuration), and never call a command that runs a shell command by design (`bisect run`,
 * `rebase --exec`, `submodule foreach`).
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';
import { requirePipes, startFault } from '../process/start-fault.ts';
import { DRIVER_KEYS, type Environment, findGit, gitEnvironment } from './git-environment.ts';

export interface GitPlace {
  /** an absolute directory: git runs as if started there */
  cwd: string;
  /** the server's own environment */
  environment: Environment;
}

export interface GitOptions extends GitPlace {
  /** what git reads on standard input */
  input?: string | Buffer;
  /** an index file to use instead of the checkout's own */
  indexFile?: string;
  /** variables such as GIT_AUTHOR_DATE, of ours alone */
  variables?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  maxBytes?: number;
}

export interface GitResult {
  /** the exit code */
  code: number;
  stdout: Buffer;
  stderr: string;
}

/** How long one call may take. A checkout of a large repository on a slow disk takes minutes. */
const TIMEOUT_MS = 300_000;
/** How much one call may print. The names of a million files are less. */
const MAX_BYTES = 256_000_000;
/** What reads the names of the drivers prints little, unless somebody wants the server to choke on it. */
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
 * Runs a command of git and gives its result, whatever its exit code.
 * @throws CatalogueError git_not_found, git_failed (time or size), process_limit
 */
export async function tryGit(args: readonly string[], options: GitOptions): Promise<GitResult> {
  const program = findGit(options.environment);
  const driverKeys = await readDriverKeys(program, options);
  const [command = '', ...rest] = args;
  const guards = SHOWS_DIFFERENCES.has(command) ? ['--no-ext-diff', '--no-textconv'] : [];
  return run(program, [command, ...guards, ...rest], {
    ...options,
    variables: {
      ...gitEnvironment(options.environment, driverKeys),
      ...options.variables,
      ...(options.indexFile === undefined ? {} : { GIT_INDEX_FILE: options.indexFile }),
    },
  });
}

/**
 * Runs a command of git that has to succeed.
 * @returns its standard output as bytes
 * @throws CatalogueError git_failed with git's own words, and what `tryGit` throws
 */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const result = await tryGit(args, options);
  if (result.code !== 0) throw gitFailed(args, result);
  return result.stdout;
}

/** Runs a command of git that has to succeed, and gives its output as text without the last line feed. */
export async function askGit(args: readonly string[], options: GitOptions): Promise<string> {
  return (await runGit(args, options)).toString('utf8').replace(/\n$/, '');
}

/** The error for a command that failed, with what git said. */
export function gitFailed(args: readonly string[], result: Pick<GitResult, 'code' | 'stderr'>): CatalogueError {
  const said = result.stderr.trim().split('\n').slice(-MAX_SAID_LINES).join('; ').slice(0, MAX_SAID_CHARS);
  return new CatalogueError('git_failed', `git ${args[0]} failed (exit ${result.code}): ${said || 'no word of why'}`);
}
/** How much of git's words an error repeats: the last lines say why. */
const MAX_SAID_LINES = 4;
const MAX_SAID_CHARS = 1_000;

/**
 * The keys of all drivers that the configuration here names. Read anew each time: the session that works in a
 * repository may write its configuration.
 */
async function readDriverKeys(program: string, { cwd, environment, timeoutMs }: GitOptions): Promise<string[]> {
  const result = await run(program, ['config', '--null', '--name-only', '--get-regexp', DRIVER_KEYS], {
    cwd,
    variables: gitEnvironment(environment, []),
    maxBytes: MAX_CONFIG_BYTES,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  // 1: no such key. Otherwise the configuration cannot be read, and the command itself will say so.
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
      // By -C and not as the child's directory: where that is missing, Node would say that git is.
      ['--no-pager', '-C', options.cwd, ...args],
      {
        cwd: '/',
        env: { ...options.variables },
        encoding: 'buffer',
        timeout: options.timeoutMs ?? TIMEOUT_MS,
        maxBuffer: options.maxBytes ?? MAX_BYTES,
        // TERM and not KILL: git removes its lock files at TERM.
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
    // A command that ends before it has read all gives EPIPE; its exit code says what was wrong.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(options.input ?? '');
  });
}

/** What keeps a call from having a result. Null: git ended by itself with an exit code. */
function faultOf(args: readonly string[], error: ExecFileException): Error | null {
  if (typeof error.code === 'number') return null;
  // Node's code for a program that wrote too much is a text, as those of the kernel are.
  const code: unknown = error.code;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return new CatalogueError('git_failed', `git ${args[0]} printed more than CBOS takes`, { cause: error });
  }
  if (code === 'ENOENT') return new CatalogueError('git_not_found', undefined, { cause: error });
  if (typeof code === 'string') return startFault(Object.assign(error, { code }));
  const how = error.killed === true ? 'took too long and was ended' : `was ended by ${error.signal ?? 'a signal'}`;
  return new CatalogueError('git_failed', `git ${args[0]} ${how}`, { cause: error });
}
