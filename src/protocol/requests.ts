import { z } from 'zod';
import { Delivery } from './delivery.ts';
import { ErrorBody } from './error-body.ts';
import { FileId, MOST_FILES_SENT } from './files.ts';
import { InvokeOptions } from './json-session.ts';
import { Tags } from './labels.ts';
import { isSelective } from './session-selector.ts';
import { StashWhen } from './stash.ts';
import { StateSelectorWord } from './state-selector-word.ts';
import { Columns, PermissionMode, Rows, SessionType } from './words.ts';
import { GitName } from './worktree.ts';

/**
 * The maximum length of the text in a request, in characters. Prompts of 200 kB do occur, but a body of more than 4 MiB
 * must be a mistake.
 */
const MAX_TEXT = 1_000_000;

const AnyText = z.string().max(MAX_TEXT, `longer than ${MAX_TEXT.toLocaleString('en')} characters`);
const EMPTY_TEXT = 'the text is empty';
export const Text = AnyText.min(1, EMPTY_TEXT);
const EnvironmentVariables = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());

/**
 * The schema does not validate the slug. The server does, because its error (`invalid_slug`) explains what a slug is,
 * whereas the schema's would just be `invalid_request`.
 */
const SlugText = z.string().max(10_000);

export const NewWorktree = z
  .strictObject({
    branch: GitName.optional().meta({
      description:
        'The branch of the worktree, created if it does not exist. Default: a new branch named after the session',
    }),
    from: GitName.optional().meta({ description: 'Where a new branch starts; default: the commit of `path`' }),
    existing: z.boolean().optional().meta({
      description: 'true: use the worktree in which `branch` is checked out, if no session uses it; none is made',
    }),
    set_up: z.boolean().optional().meta({
      description:
        "Whether the repository's set-up runs before Claude Code starts. Default: true in a new worktree, false in an existing one",
    }),
  })
  .refine(({ existing, branch, from }) => existing !== true || (branch !== undefined && from === undefined), {
    error: 'existing needs branch and excludes from',
  })
  .meta({ id: 'NewWorktree' });
export type NewWorktree = z.infer<typeof NewWorktree>;

export const NewSession = z
  .strictObject({
    slug: SlugText,
    path: z.string().min(1),
    type: SessionType.optional(),
    prompt: Text.optional(),
    args: z.array(z.string()).optional(),
    env: EnvironmentVariables.optional(),
    permission_mode: PermissionMode.optional(),
    model: z.string().min(1).optional(),
    cols: Columns.optional(),
    rows: Rows.optional(),
    max_budget_usd: z
      .number()
      .positive()
      .optional()
      .meta({ description: 'JSON sessions only: the most that the session may cost' }),
    worktree: NewWorktree.optional().meta({
      description: 'Create a git worktree of the repository at `path`, and launch the session there',
    }),
    same_folder: z.boolean().optional().meta({
      description:
        'true: start although `path` is in a worktree that was made for another session, or into which one has moved',
    }),
    tags: Tags.optional(),
  })
  .meta({ id: 'NewSession' });
export type NewSession = z.infer<typeof NewSession>;

export const Fork = z
  .strictObject({
    slug: SlugText.meta({ description: 'The name of the new session' }),
    branch: GitName.optional().meta({
      description: 'The new branch of its worktree. Default: a branch named after the session',
    }),
    same_folder: z.boolean().optional().meta({
      description: 'true if both sessions work in the same folder, on the same files. Default: a new worktree',
    }),
    prompt: Text.optional(),
  })
  .refine(({ branch, same_folder: same }) => branch === undefined || same !== true, {
    error: 'branch and same_folder cannot be combined',
  })
  .meta({ id: 'Fork' });
export type Fork = z.infer<typeof Fork>;

export const Adoption = z
  .strictObject({
    screen_id: z.string().min(1).optional(),
    resume: z
      .uuid()
      .optional()
      .meta({ description: 'The id of a Claude Code conversation, instead of a Screen session' }),
    slug: SlugText.optional(),
    path: z.string().min(1).optional(),
    type: SessionType.optional().meta({ description: 'With `resume`: the type of the session' }),
  })
  .refine(({ screen_id, resume }) => (screen_id === undefined) !== (resume === undefined), {
    error: 'needs exactly one of screen_id and resume',
  })
  .meta({ id: 'Adoption' });
export type Adoption = z.infer<typeof Adoption>;

export const SessionPatch = z
  .strictObject({ slug: SlugText.optional(), path: z.string().min(1).optional() })
  .meta({ id: 'SessionPatch' });
export type SessionPatch = z.infer<typeof SessionPatch>;

export const Send = z
  .strictObject({
    text: AnyText.default('').meta({ description: 'May be empty if there are files' }),
    files: z.array(FileId).min(1).max(MOST_FILES_SENT).optional().meta({
      description:
        'The ids of files stored beside the session; the prompt mentions each file as `@PATH`, after the text',
    }),
    command: z.boolean().optional(),
    force: z.boolean().optional(),
    queue: z.boolean().optional(),
    idempotency_key: z.string().min(1).max(200).optional(),
  })
  .refine(({ text, files }) => text !== '' || files !== undefined, { error: EMPTY_TEXT, path: ['text'] })
  .meta({ id: 'Send' });
export type Send = z.infer<typeof Send>;

export const Answer = z
  .strictObject({
    choice: z
      .union([z.enum(['yes', 'no', 'always', 'cancel']), z.int().min(1), z.array(z.int().min(1)).min(1)])
      .optional()
      .meta({
        description:
          'yes, no, always, a number (1 is the first option shown), or numbers where several may be chosen; cancel closes a form without an answer',
      }),
    text: Text.optional(),
    answers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
    values: z.record(z.string(), z.unknown()).optional().meta({
      description:
        'For a form: accept it, with these values by the names of its fields. A text counts as the value that it stands for',
    }),
    question_id: z.string().optional(),
    for: z.enum(['session', 'project']).optional().meta({
      description:
        "with `always`: where the permission applies. `session`: until this Claude Code process ends; `project`: saved in the project's local settings. Default: as Claude Code suggests",
    }),
  })
  .refine((answer) => answer.for === undefined || answer.choice === 'always', {
    error: '`for` works only with `always`',
  })
  .refine(({ choice, text, answers, values }) => [choice, text, answers, values].some((one) => one !== undefined), {
    error: 'needs choice, text, answers or values',
  })
  .meta({ id: 'Answer' });
export type Answer = z.infer<typeof Answer>;

export const Invoke = z.strictObject({ prompt: Text, options: InvokeOptions.optional() }).meta({ id: 'Invoke' });
export type Invoke = z.infer<typeof Invoke>;

export const Broadcast = z
  .strictObject({
    text: Text,
    slugs: z.array(z.string()).optional(),
    state: StateSelectorWord.optional(),
    tags: Tags.min(1).optional().meta({ description: 'Send to the sessions that have all of these tags' }),
    repo: z.string().min(1).max(4_096).optional().meta({ description: 'Send to the sessions in this repository' }),
    all: z.boolean().optional(),
    command: z.boolean().optional(),
    queue: z.boolean().optional(),
  })
  .refine(
    ({ slugs, all, ...selector }) =>
      [slugs, all, isSelective(selector) ? selector : undefined].filter((choice) => choice !== undefined).length === 1,
    {
      error: 'needs exactly one of slugs, all, or a selection by state, tags or repo',
    },
  )
  .meta({ id: 'Broadcast' });
export type Broadcast = z.infer<typeof Broadcast>;

export const BroadcastResult = z
  .object({ session: z.string(), delivery: Delivery.optional(), error: ErrorBody.optional() })
  .meta({ id: 'BroadcastResult' });
export type BroadcastResult = z.infer<typeof BroadcastResult>;

export const NewStashedResponse = z
  .strictObject({
    session_slug: SlugText,
    response: Text,
    question: z.string().max(MAX_TEXT).optional(),
    when: StashWhen.optional(),
  })
  .meta({ id: 'NewStashedResponse' });
export type NewStashedResponse = z.infer<typeof NewStashedResponse>;

export const BufferQuery = z.strictObject({
  lines: z.coerce.number().int().min(1).max(100_000).optional(),
  format: z.enum(['text', 'ansi', 'html']).optional(),
});
