import { z } from 'zod';
import { Timestamp } from './words.ts';

/** How many sessions one snooze may wait for. */
const MAX_AWAITED = 100;

/** Until when a session is snoozed. Whichever of these comes first wakes it. */
export const Snooze = z
  .object({
    since: Timestamp,
    until: Timestamp.nullable(),
    until_asks: z.boolean().meta({ description: 'Until it asks something new, or its turn fails' }),
    until_turn_ends: z.boolean().meta({ description: 'Until a turn of it ends' }),
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
    description: 'Without any rule the session is snoozed until it asks something new, or a turn of it ends',
  });
export type NewSnooze = z.infer<typeof NewSnooze>;

export const Look = z
  .strictObject({
    news: z.int().min(0).optional().meta({
      description: "The session's `news` as it was shown: what came later stays unread. All of it when left out",
    }),
  })
  .meta({ id: 'Look' });
export type Look = z.infer<typeof Look>;

/** What the server keeps for every face about who has looked at a session. */
export const KEPT_ATTENTION = {
  unread: z.boolean().meta({
    description: 'A turn of it has ended, or it has asked, and nobody has looked since; or a person marked it so',
  }),
  marked_unread: z
    .boolean()
    .meta({ description: 'A person marked it as unread: merely showing it does not change that' }),
  news: z.int().meta({ description: 'Counts the ends of its turns and its questions; a look names it' }),
  snoozed: Snooze.nullable(),
};

/** A session that nobody has to look at, and that is not snoozed. */
export const NOTHING_KEPT = { unread: false, marked_unread: false, news: 0, snoozed: null } as const;
