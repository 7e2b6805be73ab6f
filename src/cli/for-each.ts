import { CatalogueError, EXIT } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import { exitCodeOf, reportError } from './error-report.ts';

/** Runs `work` for every session, even if it fails for some of them. The first failure determines the exit code. */
export async function forEach(
  context: CliContext,
  slugs: readonly string[],
  act: (slug: string) => Promise<void>,
): Promise<void> {
  for (const slug of slugs) {
    try {
      await act(slug);
    } catch (error) {
      const isAlone = slugs.length === 1;
      if (isAlone || !(error instanceof CatalogueError) || error.code === 'no_server') throw error;
      reportError(context.out, error, slug);
      if (context.exitCode === EXIT.done) context.exitCode = exitCodeOf(error);
    }
  }
}
