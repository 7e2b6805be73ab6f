import { CatalogueError, ERRORS, EXIT, isSlug } from '../protocol/index.ts';
import { CommandError } from './command-error.ts';
import type { Printer } from './output/printer.ts';

/**
 * Prints an error as one line that says what to do about it. An unexpected error is a bug in CBOS, and is reported as
 * one.
 * @param slug the session that the error concerns, for hints such as `cbos show SLUG`
 */
export function reportError(out: Printer, error: unknown, slug?: string): void {
  if (error instanceof CatalogueError || error instanceof CommandError) {
    const hint = error.hint.replace(/\bSLUG\b/g, slug !== undefined && isSlug(slug) ? slug : 'NAME');
    out.notice(`${withoutStop(error.message)} — ${hint}`);
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  out.notice(`${withoutStop(message)} — this is a bug in CBOS; \`cbos doctor\` looks for its cause`);
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof CatalogueError ? ERRORS[error.code].exit : EXIT.failed;
}

function withoutStop(message: string): string {
  return message.replace(/\.$/, '');
}
