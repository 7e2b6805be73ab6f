import { z } from 'zod';
import { MAX_TAG, MOST_TAGS, TAG_PATTERN, TAG_RULE } from './tags.ts';
import { Timestamp } from './words.ts';

export const Tag = z.string().max(MAX_TAG, TAG_RULE).regex(TAG_PATTERN, TAG_RULE);

/** The tags of a new session, or the tags to add to a session or remove from it. */
export const Tags = z.array(Tag).max(MOST_TAGS);

export const TagEdit = z
  .strictObject({ add: Tags.optional(), remove: Tags.optional() })
  .refine(({ add, remove }) => (add ?? []).length + (remove ?? []).length > 0, { error: 'needs add or remove' })
  .meta({ id: 'TagEdit' });
export type TagEdit = z.infer<typeof TagEdit>;

/** A session's labels, as the server stores them. */
export const KEPT_LABELS = {
  tags: z
    .array(z.string())
    .meta({ description: "In the order in which they were added; the first tag is the session's group" }),
  repository: z.string().nullable().meta({
    description: "The main checkout of the session's git repository, which all worktrees share; null if unknown",
  }),
  archived_at: Timestamp.nullable().meta({
    description:
      'When the session was archived; null while it is listed. An archived session is listed only with `?archived=true`',
  }),
};
