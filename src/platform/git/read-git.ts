import { spawn } from 'node:child_process';
import { CatalogueError } from '../../protocol/index.ts';
import { requirePipes, startFault } from '../process/start-fault.ts';
import { findGit } from './git-environment.ts';
import { missingObjects, NO_ROOM, refusedRepository } from './run-git.ts';

/** Where and how git runs. */
export interface GitContext {
  cwd: string;
  /** the whole environment of git, as returned by `gitEnvironment` */
  env: Readonly<Record<string, string>>;
  /** aborted if git must be killed */
  signal: AbortSignal;
}

export interface GitCall extends GitContext {
  /** what git receives on standard input */
  input?: Uint8Array;
  /** how many bytes of the output are read; if there are more, git is killed */
  mostBytes?: number;
  /** exit codes that count as success; default: only 0 */
  answers?: readonly number[];
}

export interface GitAnswer {
  code: number;
  stdout: Buffer;
  /** whether git was killed because its output exceeded the limit */
  isCut: boolean;
}

/**
 * The default limit is longer than any list of changed files that a user would read. A patch has a limit of its own.
 */
const MOST_BYTES = 32 * 1024 * 1024;
/** How much of git's error message is read. */
const MOST_ERROR_BYTES = 4_096;

/**
 * Runs git for its output, with the guarantees of `run-git.ts`, for data that a page requests again and again. Each
 * call takes one process and has a limit at which its output is cut off. The drivers in a configuration are not
 * disabled. Therefore, use this function only for commands that read no file in the working tree, or with a git
 * directory of our own (`own-git-dir.ts`), whose configuration defines no drivers.
 * @throws CatalogueError git_not_found, git_failed, process_limit
 */
export function readGit(args: readonly string[], call: GitCall): Promise<GitAnswer> {
  const { cwd, env, signal, input, mostBytes = MOST_BYTES, answers = [0] } = call;
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw tooSlow();
    const child = spawn(findGit(env), ['--no-pager', ...args], {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    requirePipes(child);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let complaint = '';
    let isCut = false;
    const giveUp = (): void => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      reject(tooSlow());
    };
    signal.addEventListener('abort', giveUp);
    child.stdout.on('data', (chunk: Buffer) => {
      const room = mostBytes - bytes;
      if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
      bytes += chunk.length;
      if (bytes <= mostBytes || isCut) return;
      isCut = true;
      child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (complaint.length < MOST_ERROR_BYTES) complaint += chunk;
    });
    // git may exit before it has read all its input.
    child.stdin.on('error', () => undefined).end(input);
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', giveUp);
      reject(error.code === 'ENOENT' ? new CatalogueError('git_not_found') : startFault(error));
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', giveUp);
      const refused = refusedRepository(complaint);
      if (refused !== null) reject(refused);
      else if (!isCut && (code === null || !answers.includes(code))) reject(gitFailure(complaint, code));
      else resolve({ code: code ?? 0, stdout: Buffer.concat(chunks), isCut });
    });
  });
}

function tooSlow(): CatalogueError {
  return new CatalogueError('git_failed', 'git took too long to compare the files');
}

/** Returns an error with the last line of git's message that begins with `fatal:` or `error:`. */
function gitFailure(complaint: string, code: number | null): CatalogueError {
  const lines = complaint.split('\n').filter((line) => /^(fatal|error): /.test(line));
  if (NO_ROOM.test(complaint)) {
    return new CatalogueError('disk_full', "git failed because the repository's disk is full", {
      hint: 'Free some space on that disk, then try again; nothing was changed',
    });
  }
  const missing = missingObjects(complaint);
  if (missing !== null) return missing;
  const said = lines.at(-1) ?? `git ended with code ${code ?? 'none'}`;
  return new CatalogueError('git_failed', said.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '));
}
