import { z } from 'zod';
import { StoredEvent } from './json-session.ts';
import { NonNegative } from './route.ts';

export const TranscriptQuery = z.strictObject({
  after: NonNegative.optional().meta({
    description: 'the value of `end` in the previous page; default: the newest part',
  }),
});

/**
 * Part of a transcript, the file in which Claude Code itself stores a conversation, as events. Terminal sessions have
 * transcripts, too.
 */
export const TranscriptPage = z
  .object({
    claude_session_id: z.string().nullable().meta({
      description: 'The conversation that this page belongs to; positions are valid only within one conversation',
    }),
    events: z
      .array(StoredEvent)
      .meta({ description: 'Oldest first; `seq` is the position in the file where its line ends' }),
    from: z.int().min(0).meta({ description: 'Where this part begins; 0 if nothing was said before it' }),
    end: z.int().min(0).meta({ description: 'Where this part ends: the value of `after` for the next part' }),
  })
  .meta({ id: 'TranscriptPage' });
export type TranscriptPage = z.infer<typeof TranscriptPage>;
