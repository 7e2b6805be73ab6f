import { z } from 'zod';
import { SEARCH_KINDS } from './names.ts';
import { Timestamp } from './words.ts';

export const SearchKind = z.enum(SEARCH_KINDS);
export type SearchKind = z.infer<typeof SearchKind>;

export const SearchHit = z
  .object({
    session: z.string(),
    at: Timestamp,
    kind: SearchKind,
    snippet: z.string().meta({ description: 'The text around the hit, on one line' }),
    highlights: z
      .array(z.tuple([z.int(), z.int()]))
      .meta({ description: 'The matches in the snippet: from and to (exclusive), in UTF-16 units' }),
    offset: z.int().nullable().meta({ description: 'Byte position of the hit in the recording' }),
    recording: z.string().nullable().meta({
      description:
        "The recording: the session's slug, or SLUG.N for one that a restart moved aside; null if there is none",
    }),
    t: z.number().nullable().meta({
      description: 'Seconds from the start of the recording, for a replay; null if its times are unknown',
    }),
    seq: z.int().nullable().meta({ description: 'For a JSON session, the number of the event' }),
  })
  .meta({ id: 'SearchHit' });
export type SearchHit = z.infer<typeof SearchHit>;

export const SearchResult = z
  .object({
    hits: z.array(SearchHit).meta({ description: 'Newest first' }),
    pending_bytes: z.int().meta({ description: 'How many bytes of recordings are not indexed yet' }),
  })
  .meta({ id: 'SearchResult' });
export type SearchResult = z.infer<typeof SearchResult>;

/** The maximum length of a search. Nobody searches for anything longer. */
const MAX_QUERY = 1_000;
/** The maximum number of hits per page. Users who need more should search for something more specific. */
const MAX_HITS = 500;

export const SearchQuery = z.strictObject({
  q: z.string().min(1).max(MAX_QUERY).meta({
    description:
      'Words that must all occur, each as a whole word or as the beginning of one; words "in quotes" must occur exactly. There are no operators',
  }),
  session: z.string().optional(),
  kind: SearchKind.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_HITS)
    .optional()
    .meta({ type: 'integer', minimum: 1, maximum: MAX_HITS }),
});
export type SearchQuery = z.infer<typeof SearchQuery>;
