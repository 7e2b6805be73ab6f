import { CatalogueError } from '../../protocol/index.ts';

export function problemText(error: unknown): string {
  if (error instanceof CatalogueError) return `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
