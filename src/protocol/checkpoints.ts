import { z } from 'zod';
import { ChangedFile, Changes } from './changes.ts';
import { FileContent } from './file-content.ts';
import { NonNegative, type RouteRow } from './route.ts';
import { TurnState, TurnWord } from './turns.ts';
import { MAX_PATH, Timestamp } from './words.ts';

const CheckpointFacts = z.object({
  turn: z.int(),
  state: TurnState,
  at: Timestamp.meta({ description: 'When the files were like this' }),
  commit: z.string().meta({ description: 'The commit with the files' }),
  root: z.string().meta({ description: 'The top of the working tree, to which all paths are relative' }),
});
export type CheckpointFacts = z.infer<typeof CheckpointFacts>;

export const CheckpointEntry = z
  .object({
    name: z.string().meta({ description: 'The name in its folder; bytes that are not UTF-8 are U+FFFD' }),
    kind: z.enum(['file', 'link', 'folder', 'repository']).meta({
      description:
        '`link`: a symbolic link; `repository`: a submodule or another repository, whose files are not saved',
    }),
    mode: z.string().nullable().meta({ description: 'As in git, such as 100644 or 100755; null if not saved' }),
    size: z.int().nullable().meta({ description: 'In bytes; null for a folder, or if not saved' }),
    saved: z.boolean().meta({ description: 'false if the file was too large, could not be read, or is a repository' }),
  })
  .meta({ id: 'CheckpointEntry' });
export type CheckpointEntry = z.infer<typeof CheckpointEntry>;

/** The files and folders in one folder, as they were at a checkpoint. */
export const CheckpointFiles = CheckpointFacts.extend({
  folder: z.string().meta({ description: 'Empty for the top of the working tree' }),
  entries: z.array(CheckpointEntry).meta({ description: 'Folders first, sorted by name; at most 10,000' }),
  total: z.int().meta({ description: 'How many entries the folder has' }),
  next: z.int().nullable().meta({ description: 'The value of `from` for the next part; null if there is none' }),
}).meta({ id: 'CheckpointFiles' });
export type CheckpointFiles = z.infer<typeof CheckpointFiles>;

/** What changed between a checkpoint and the one before it. */
export const CheckpointChanges = CheckpointFacts.extend({
  since: z
    .object({ turn: z.int(), state: TurnState })
    .nullable()
    .meta({ description: 'The checkpoint before; null if none of the same working tree is kept' }),
  files: z.array(ChangedFile).meta({ description: 'Sorted by path, at most 5,000; empty if `since` is null' }),
  total: Changes.shape.total,
}).meta({ id: 'CheckpointChanges' });
export type CheckpointChanges = z.infer<typeof CheckpointChanges>;

/** What was at a path at a checkpoint. */
export const CheckpointFile = CheckpointFacts.extend({
  path: z.string(),
  ...CheckpointEntry.omit({ name: true }).shape,
  ...FileContent.shape,
}).meta({ id: 'CheckpointFile' });
export type CheckpointFile = z.infer<typeof CheckpointFile>;

const CheckpointParams = z.object({ slug: z.string(), turn: TurnWord });

const StateQuery = TurnState.optional().meta({
  description: 'the files as they were before the turn, or as it left them; default: the later state that is saved',
});

const Path = z.string().max(MAX_PATH);

const ERRORS = [
  'no_such_session',
  'no_such_path',
  'not_a_repository',
  'no_such_turn',
  'git_not_found',
  'git_failed',
  'missing_objects',
] as const;

/** The part of the REST interface that shows the files of a checkpoint. */
export const CHECKPOINT_ROUTES = {
  checkpointFiles: {
    method: 'get',
    path: '/sessions/{slug}/turns/{turn}/files',
    who: 'session',
    summary: 'The files and folders in one folder, as they were before or after a turn',
    params: CheckpointParams,
    query: z.strictObject({
      state: StateQuery,
      folder: Path.optional().meta({ description: 'relative to the root; default: the root' }),
      from: NonNegative.optional().meta({ type: 'integer', minimum: 0, description: 'how many entries to skip' }),
    }),
    response: CheckpointFiles,
    errors: [...ERRORS, 'no_such_file'],
  },
  checkpointChanges: {
    method: 'get',
    path: '/sessions/{slug}/turns/{turn}/changes',
    who: 'session',
    summary: 'The files that changed between a checkpoint and the one before it',
    params: CheckpointParams,
    query: z.strictObject({ state: StateQuery }),
    response: CheckpointChanges,
    errors: ERRORS,
  },
  checkpointFile: {
    method: 'get',
    path: '/sessions/{slug}/turns/{turn}/file',
    who: 'session',
    summary: 'One file as it was before or after a turn',
    params: CheckpointParams,
    query: z.strictObject({ state: StateQuery, path: Path.min(1) }),
    response: CheckpointFile,
    errors: [...ERRORS, 'no_such_file'],
  },
} as const satisfies Record<string, RouteRow>;
