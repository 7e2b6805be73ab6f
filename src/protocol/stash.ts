import { z } from 'zod';
import { STASH_WHENS } from './names.ts';
import { Timestamp } from './words.ts';

export const StashWhen = z.enum(STASH_WHENS);
export type StashWhen = z.infer<typeof StashWhen>;

/** A draft: a reply kept for later, with the question that it answers. */
export const StashedResponse = z
  .object({
    id: z.string(),
    session_slug: z.string(),
    question: z.string().nullable(),
    response: z.string().meta({ description: 'as it will be typed, without control characters' }),
    when: StashWhen,
    created_at: Timestamp,
    applied: z.boolean(),
    applied_at: Timestamp.nullable(),
    delivery_id: z.string().nullable().meta({ description: 'the delivery that the draft became' }),
  })
  .meta({ id: 'StashedResponse' });
export type StashedResponse = z.infer<typeof StashedResponse>;
