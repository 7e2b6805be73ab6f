import { CatalogueError } from '../../protocol/index.ts';
import { type RunResult, runProgram } from './run-program.ts';

const MKFIFO_TIMEOUT_MS = 5_000;

/**
 * Creates a FIFO that only this user may open. Node cannot create one on its own.
 * @throws CatalogueError launch_failed
 */
export async function makeFifo(path: string, { PATH = '/usr/bin:/bin' }: { PATH?: string | undefined }): Promise<void> {
  const made = await runProgram('mkfifo', ['-m', '600', path], { env: { PATH }, timeoutMs: MKFIFO_TIMEOUT_MS });
  if (made.outcome === 'exited' && made.code === 0) return;
  throw new CatalogueError('launch_failed', `The FIFO ${path} could not be created: ${reasonOf(made)}`);
}

function reasonOf({ outcome, code, stderr }: RunResult): string {
  if (outcome === 'timed_out') return `mkfifo did not end within ${MKFIFO_TIMEOUT_MS / 1_000} s`;
  return outcome === 'not_found'
    ? 'mkfifo was not found in PATH'
    : stderr.trim() || `mkfifo ended with exit code ${code}`;
}
