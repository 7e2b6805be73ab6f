import { z } from 'zod';
import { DeliveryStatus } from './delivery.ts';
import { MAX_PATH, Timestamp } from './words.ts';

/** The maximum length of a comment. No one writes more than this about a few lines. */
const MAX_COMMENT = 10_000;
/** The maximum number of lines that one comment can cover. */
export const MOST_COMMENTED_LINES = 500;
/** The maximum number of comments in one round. No session can deal with more comments in a single turn. */
export const MOST_COMMENTS = 200;

const LineNumber = z.int().min(1).max(10_000_000);
const FilePath = z.string().min(1).max(MAX_PATH);

/** The version of a file that line numbers refer to: the current version, or the one in the base. */
export const ReviewSide = z.enum(['now', 'base']);
export type ReviewSide = z.infer<typeof ReviewSide>;

export const NewReviewComment = z
  .strictObject({
    file: FilePath.meta({ description: 'Relative to the top of the working tree' }),
    line: LineNumber,
    end_line: LineNumber.optional().meta({ description: 'The last line that the comment is about; default: `line`' }),
    side: ReviewSide.optional().meta({ description: '`base`: lines that were removed; default: `now`' }),
    text: z.string().min(1).max(MAX_COMMENT),
  })
  .meta({ id: 'NewReviewComment' });
export type NewReviewComment = z.infer<typeof NewReviewComment>;

/** Where the lines of a comment are now. */
export const ReviewAnchor = z
  .object({
    state: z.enum(['here', 'moved', 'outdated']).meta({
      description: '`moved`: the same lines are elsewhere in the file; `outdated`: the lines no longer exist',
    }),
    line: z.int().nullable().meta({ description: 'null if the comment is outdated' }),
    end_line: z.int().nullable(),
  })
  .meta({ id: 'ReviewAnchor' });
export type ReviewAnchor = z.infer<typeof ReviewAnchor>;

export const ReviewComment = z
  .object({
    id: z.string(),
    file: z.string(),
    side: ReviewSide,
    line: z.int().meta({ description: 'Where the comment was written' }),
    end_line: z.int(),
    text: z.string(),
    before: z.array(z.string()).meta({ description: 'The lines above, as they were' }),
    lines: z.array(z.string()).meta({ description: 'The lines that the comment is about, as they were' }),
    after: z.array(z.string()).meta({ description: 'The lines below, as they were' }),
    anchor: ReviewAnchor,
    created_at: Timestamp,
  })
  .meta({ id: 'ReviewComment' });
export type ReviewComment = z.infer<typeof ReviewComment>;

/** Comments that were sent as one prompt, and the session's answer. */
export const ReviewRound = z
  .object({
    number: z.int(),
    sent_at: Timestamp,
    prompt: z.string(),
    delivery_id: z.string().nullable().meta({ description: 'null if the server ended before the id was known' }),
    status: DeliveryStatus.nullable().meta({ description: "The status of the prompt's delivery; null if unknown" }),
    comments: z.array(ReviewComment),
    answer: z.string().nullable().meta({ description: "The last words of the session's turn; null until it is over" }),
    answered_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReviewRound' });
export type ReviewRound = z.infer<typeof ReviewRound>;

/** The review of a session's changes. */
export const Review = z
  .object({
    round: z.int().meta({ description: 'The number of the open round, the one whose comments have not been sent yet' }),
    comments: z.array(ReviewComment).meta({ description: 'The comments of the open round, by file and line' }),
    prompt: z
      .string()
      .nullable()
      .meta({ description: 'The prompt that would be sent now; null if there are no comments' }),
    rounds: z.array(ReviewRound).meta({ description: 'The rounds that were sent, oldest first' }),
    reviewed: z.array(z.string()).meta({ description: 'Files marked as reviewed that have not changed since' }),
  })
  .meta({ id: 'Review' });
export type Review = z.infer<typeof Review>;

export const SendReview = z
  .strictObject({
    prompt: z.string().min(1).max(1_000_000).meta({
      description: 'The prompt as the sender read it; if the prompt has changed since, nothing is sent',
    }),
  })
  .meta({ id: 'SendReview' });
export type SendReview = z.infer<typeof SendReview>;

export const ReviewedFile = z.strictObject({ file: FilePath, reviewed: z.boolean() }).meta({ id: 'ReviewedFile' });
export type ReviewedFile = z.infer<typeof ReviewedFile>;
