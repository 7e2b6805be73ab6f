import { z } from 'zod';
import { Changes, Patch } from './changes.ts';
import { type Route, SlugParam } from './route.ts';

/** Longer than any reference that git takes as a file name. */
const MAX_REF = 1_024;
/** Longer than any path that Linux takes (PATH_MAX). */
const MAX_PATH = 4_096;

const BaseQuery = z
  .string()
  .min(1)
  .max(MAX_REF)
  .regex(/^[^-]/, 'a revision does not begin with "-"')
  .optional()
  .meta({ description: 'the revision to compare with, instead of the one that is found' });

const TurnQuery = z
  .string()
  .regex(/^(last|[1-9]\d{0,8})$/, 'the number of a turn, or "last"')
  .optional()
  .meta({ description: 'what this turn of the session changed, instead of everything: its number, or `last`' });

const ChangesQuery = z.strictObject({ base: BaseQuery, turn: TurnQuery });

const PatchQuery = z.strictObject({
  base: BaseQuery,
  turn: TurnQuery,
  file: z.string().min(1).max(MAX_PATH).optional().meta({
    description: "a changed file or folder, from the root on; without it, all files' patches one after another",
  }),
  old_file: z
    .string()
    .min(1)
    .max(MAX_PATH)
    .optional()
    .meta({ description: 'what the file was called in the base, where it was renamed' }),
});

const CHANGES_ERRORS = [
  'no_such_session',
  'no_such_path',
  'not_a_repository',
  'no_such_ref',
  'no_such_turn',
  'git_not_found',
  'git_failed',
] as const;

/** What a session has changed in its repository. */
export const CHANGES_ROUTES = {
  changes: {
    method: 'get',
    path: '/sessions/{slug}/changes',
    summary:
      "What a session changed in its folder's repository: committed, staged, unstaged and untracked, against where its branch began",
    params: SlugParam,
    query: ChangesQuery,
    success: 200,
    response: Changes,
    errors: CHANGES_ERRORS,
  },
  patch: {
    method: 'get',
    path: '/sessions/{slug}/changes/patch',
    summary: "The changes of one file, or of all, in git's unified format",
    params: SlugParam,
    query: PatchQuery,
    success: 200,
    response: Patch,
    errors: CHANGES_ERRORS,
  },
} as const satisfies Record<string, Route>;
