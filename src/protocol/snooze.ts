import { z } from 'zod';
import { Timestamp } from './words.ts';

/** The maximum number of sessions that one snooze can wait for. */
const MAX_AWAITED = 100;

/** The conditions that can end a snooze. A snooze ends as soon as one of its conditions is met. */
export const Snooze = z
  .object({
    since: Timestamp,
    until: Timestamp.nullable(),
    until_asks: z.boolean().meta({ description: 'Until the session asks something new, or its turn fails' }),
    until_turn_ends: z.boolean().meta({ description: "Until the session's turn ends" }),
    until_ends: z.array(z.string()).meta({
      description: 'Until a turn of one of these sessions ends, or one of them is stopped or deleted',
    }),
  })
  .meta({ id: 'Snooze' });
export type Snooze = z.infer<typeof Snooze>;

export const NewSnooze = z
  .strictObject({
    until: Timestamp.optional(),
    until_asks: z.boolean().optional(),
    until_turn_ends: z.boolean().optional(),
    until_ends: z.array(z.string()).max(MAX_AWAITED).optional(),
  })
  .meta({
    id: 'NewSnooze',
    description: 'Without any condition, the session is snoozed until it asks something new or its turn ends',
  });
export type NewSnooze = z.infer<typeof NewSnooze>;

export const Look = z
  .strictObject({
    news: z.int().min(0).optional().meta({
      description: "The session's `news` as it was shown; later news stays unread. Default: all news",
    }),
  })
  .meta({ id: 'Look' });
export type Look = z.infer<typeof Look>;

/** What the server stores, on behalf of all faces, about whether users have looked at a session. */
export const KEPT_ATTENTION = {
  unread: z.boolean().meta({
    description:
      "Whether the session's turn ended or it asked something and nobody has looked since, or a person marked it as unread",
  }),
  marked_unread: z
    .boolean()
    .meta({ description: 'Whether a person marked the session as unread; showing it does not change that' }),
  news: z.int().meta({
    description:
      "The number of the session's finished turns and questions; a client that marks the session as seen sends this number",
  }),
  snoozed: Snooze.nullable(),
};

/** The values of a session that has no news and is not snoozed. */
export const NOTHING_KEPT = { unread: false, marked_unread: false, news: 0, snoozed: null } as const;
