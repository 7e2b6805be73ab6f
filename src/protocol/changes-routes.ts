import { z } from 'zod';
import { ChangedSide, Changes, Patch } from './changes.ts';
import type { RouteRow } from './route.ts';
import { TurnWord } from './turns.ts';
import { PathOrNone, PathText } from './words.ts';

/** The maximum length of a git reference. git stores references as files, so no reference is longer than this. */
const MAX_REF = 1_024;

const BaseQuery = z
  .string()
  .min(1)
  .max(MAX_REF)
  .regex(/^[^-]/, 'a revision cannot begin with "-"')
  .optional()
  .meta({ description: 'the revision to compare with, instead of the base that CBOS determines' });

const TurnQuery = TurnWord.optional().meta({
  description: 'only the changes in one turn of the session: its number, or `last`',
});

const ChangesQuery = z.strictObject({
  base: BaseQuery,
  turn: TurnQuery,
  patch_of: PathOrNone.optional().meta({
    description:
      'also returns the patch of this file, or of the first changed file if this one has not changed; not with a turn',
  }),
});

const PatchQuery = z.strictObject({
  base: BaseQuery,
  turn: TurnQuery,
  file: PathText.optional().meta({
    description: 'a changed file or folder, relative to the root; default: all files',
  }),
  old_file: PathText.optional().meta({ description: "the file's name in the base, if the file was renamed" }),
});

const SideQuery = z.strictObject({
  base: BaseQuery,
  turn: TurnQuery,
  file: PathText.meta({ description: 'the path of a changed file, as the list has it' }),
  side: ChangedSide.shape.side.meta({ description: '`old`: as in the base; `new`: as it is now, or after the turn' }),
});

const CHANGES_ERRORS = [
  'no_such_session',
  'no_such_path',
  'not_a_repository',
  'no_such_ref',
  'no_such_turn',
  'git_not_found',
  'git_failed',
  'missing_objects',
] as const;

/** The part of the REST interface for a session's changes in its repository. */
export const CHANGES_ROUTES = {
  changes: {
    method: 'get',
    path: '/sessions/{slug}/changes',
    who: 'session',
    summary:
      "What a session changed in its folder's repository since its branch began: committed, staged, unstaged and untracked",
    query: ChangesQuery,
    response: Changes,
    errors: CHANGES_ERRORS,
  },
  patch: {
    method: 'get',
    path: '/sessions/{slug}/changes/patch',
    who: 'session',
    summary: "The changes in one file or in all files, in git's unified format",
    query: PatchQuery,
    response: Patch,
    errors: CHANGES_ERRORS,
  },
  changedSide: {
    method: 'get',
    path: '/sessions/{slug}/changes/file',
    who: 'session',
    summary: 'One changed file as it was before or as it is after the changes, such as an image',
    query: SideQuery,
    response: ChangedSide,
    errors: [...CHANGES_ERRORS, 'no_such_file'],
  },
} as const satisfies Record<string, RouteRow>;
