import { z } from 'zod';
import { FileContent, ImageType } from './file-content.ts';
import { Timestamp } from './words.ts';

/**
 * What the changes are compared with. `kind` is the reason for this choice, in the order of the values: the request
 * named the base; the branch was created from it; the branch tracks it; it is the repository's default branch; there is
 * no other branch, so the base is the last commit (or nothing if there is no commit yet); or the base is the state
 * before a turn, whose number is `ref`.
 */
export const ChangesBase = z
  .object({
    kind: z.enum(['asked', 'started_from', 'upstream', 'default_branch', 'last_commit', 'nothing', 'turn']),
    ref: z.string().nullable().meta({ description: 'the branch or revision, by the name that a person uses for it' }),
    commit: z.string().nullable().meta({
      description: 'the commit where the branch and the base diverged (the merge base), or the revision itself',
    }),
  })
  .meta({ id: 'ChangesBase' });
export type ChangesBase = z.infer<typeof ChangesBase>;

export const ChangeStatus = z.enum(['added', 'modified', 'deleted', 'renamed', 'copied', 'type_changed', 'conflicted']);
export type ChangeStatus = z.infer<typeof ChangeStatus>;

export const ChangePart = z.enum(['committed', 'staged', 'unstaged', 'untracked']);
export type ChangePart = z.infer<typeof ChangePart>;

const Lines = z.number().int().nullable();
const Bytes = z.int().nullable();

export const ChangedFile = z
  .object({
    path: z.string().meta({ description: 'relative to the root; bytes that are not UTF-8 are U+FFFD' }),
    old_path: z
      .string()
      .nullable()
      .meta({ description: "the file's name in the base; null unless the file was renamed or copied" }),
    status: ChangeStatus,
    parts: z.array(ChangePart).meta({
      description: 'where the changes are; several if the file was changed again after being staged or committed',
    }),
    added: Lines.meta({ description: 'number of lines; null if the file is not compared line by line' }),
    removed: Lines,
    binary: z.boolean().meta({ description: 'not compared line by line, because the file is not text or too large' }),
    sizes: z
      .object({ old: Bytes, new: Bytes })
      .optional()
      .meta({ description: 'in bytes, only for binary files, at most 200; null where the file does not exist' }),
    image: ImageType.nullable().optional().meta({
      description: 'the type of image that a binary file is, or was before it was deleted, by its first bytes',
    }),
    kind: z.enum(['file', 'link', 'submodule', 'repository']).meta({
      description:
        'the type of the entry; `repository`: a folder that is its own repository, whose contents are not compared',
    }),
  })
  .meta({ id: 'ChangedFile' });
export type ChangedFile = z.infer<typeof ChangedFile>;

export const Patch = z
  .object({
    base: ChangesBase,
    patch: z.string().meta({ description: "in git's unified format; empty if nothing differs" }),
    cut: z.boolean().meta({ description: 'true if the patch was cut off, after a complete line' }),
  })
  .meta({ id: 'Patch' });
export type Patch = z.infer<typeof Patch>;

/** A changed file as it was before, or as it is after the changes. */
export const ChangedSide = z
  .object({
    base: ChangesBase,
    path: z.string().meta({ description: "the file's name on this side" }),
    side: z.enum(['old', 'new']),
    kind: z.enum(['file', 'link', 'submodule']),
    mode: z.string().meta({ description: 'as in git, such as 100644 or 100755' }),
    size: z.int().nullable().meta({ description: 'in bytes; null for a submodule' }),
    ...FileContent.shape,
  })
  .meta({ id: 'ChangedSide' });
export type ChangedSide = z.infer<typeof ChangedSide>;

/** A session's changes in the repository that contains its folder. */
export const Changes = z
  .object({
    root: z.string().meta({ description: 'the top of the working tree, to which all paths are relative' }),
    branch: z.string().nullable().meta({ description: 'null while no branch is checked out' }),
    head: z.string().nullable().meta({ description: 'the last commit; null before the first' }),
    base: ChangesBase,
    files: z.array(ChangedFile).meta({ description: 'sorted by path' }),
    total: z.object({ files: z.number().int(), added: z.number().int(), removed: z.number().int() }),
    left_out: z
      .object({
        files: z.number().int().meta({ description: 'counted in `total`, but not listed' }),
        untracked: z.number().int().meta({ description: 'untracked files that were neither compared nor counted' }),
      })
      .meta({ description: 'present only if some changes exceeded a limit and were left out' }),
    patch: Patch.omit({ base: true })
      .extend({ file: z.string() })
      .optional()
      .meta({ description: 'the patch of one file, if the request asks for it with `patch_of`' }),
  })
  .meta({ id: 'Changes' });
export type Changes = z.infer<typeof Changes>;

/** How much a session has changed, for display in lists. */
export const ChangeCounts = z
  .object({
    files: z.int(),
    added: z.int().meta({ description: 'number of lines; files that are not compared line by line do not count' }),
    removed: z.int(),
    base: ChangesBase,
    counted_at: Timestamp,
  })
  .meta({ id: 'ChangeCounts' });
export type ChangeCounts = z.infer<typeof ChangeCounts>;
