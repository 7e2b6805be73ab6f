import type { CatalogueError } from '../../protocol/index.ts';

/** Shows why something failed, and what the user can do about it. */
export const Problem = ({ error }: { error: CatalogueError | null }) =>
  error === null ? null : (
    <p class="notice bad">
      {error.message}. {error.hint}
    </p>
  );
