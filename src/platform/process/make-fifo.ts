import { CatalogueError } from '../../protocol/index.ts';
import { runProgram } from './run-program.ts';

const MKFIFO_TIMEOUT_MS = 5_000;

/**
 * Creates a FIFO that only this user may open. Node cannot create one on its own.
 * @throws CatalogueError launch_failed
 */
export async function makeFifo(path: string, { PATH = '/usr/bin:/bin' }: { PATH?: string | undefined }): Promise<void> {
  const made = await runProgram('mkfifo', ['-m', '600', path], { env: { PATH }, timeoutMs: MKFIFO_TIMEOUT_MS });
  if (made.outcome === 'exited' && made.code === 0) return;
  throw new CatalogueError('launch_failed', `The FIFO ${path} could not be created: ${made.stderr.trim()}`);
}
