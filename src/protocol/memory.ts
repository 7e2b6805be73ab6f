import { z } from 'zod';
import { QuestionQuery } from './question.ts';
import { Answer } from './requests.ts';
import type { RouteRow } from './route.ts';
import { PathText, Timestamp } from './words.ts';

/**
 * The kind of an answer. `choice` means that the user chose options or wrote text in response to one of Claude's own
 * questions. A no with a comment counts as `no`.
 */
export const SaidBefore = z.enum(['yes', 'always', 'no', 'choice']);
export type SaidBefore = z.infer<typeof SaidBefore>;

export const ChosenBefore = z
  .object({
    question: z.string(),
    labels: z.array(z.string()),
    text: z.string().nullable().meta({ description: "the person's own words" }),
  })
  .meta({ id: 'ChosenBefore' });
export type ChosenBefore = z.infer<typeof ChosenBefore>;

/** One of the answers that the user has given to a question, and how often. */
export const AnswerBefore = z
  .object({
    said: SaidBefore,
    remark: z.string().nullable().meta({ description: 'the text that the person added to a yes or a no' }),
    chosen: z.array(ChosenBefore).meta({ description: 'for a `choice`: what was chosen for each question' }),
    count: z.int().min(1),
    last_at: Timestamp,
    last_session: z.string().meta({ description: "the session's name at that time" }),
  })
  .meta({ id: 'AnswerBefore' });
export type AnswerBefore = z.infer<typeof AnswerBefore>;

/** How the user has previously answered the question that a session is asking now. */
export const QuestionMemory = z
  .object({
    question_id: z.string(),
    answers: z
      .array(AnswerBefore)
      .meta({ description: 'the most frequent answer first; empty if the question was never answered' }),
    differs: z.boolean().meta({ description: 'whether the person has given different answers' }),
    suggestion: Answer.nullable().meta({
      description:
        'The answer that the person always gave, as a body for `POST /sessions/{slug}/answer`; it never allows more than this one call. null if there is no answer, or if the answers differ. CBOS never sends it on its own',
    }),
  })
  .meta({ id: 'QuestionMemory' });
export type QuestionMemory = z.infer<typeof QuestionMemory>;

/** A question that the user has answered before, with all of those answers. */
export const RememberedQuestion = z
  .object({
    project: z.string().meta({ description: 'the folder; all worktrees of a repository share it' }),
    tool: z.string(),
    about: z
      .string()
      .meta({ description: 'the command, the file, or the text of the question; long ones are cut off' }),
    answers: z.array(AnswerBefore),
    differs: z.boolean(),
  })
  .meta({ id: 'RememberedQuestion' });
export type RememberedQuestion = z.infer<typeof RememberedQuestion>;

/** The maximum number of questions in one response, which is more than any user will read. */
const MOST_QUESTIONS = 1_000;
const MOST_QUERY = 400;

export const MemoryFilter = z.strictObject({
  q: z.string().max(MOST_QUERY).optional().meta({
    description: 'only questions that contain these words, or whose answer, tool or session name contains them',
  }),
  project: PathText.optional().meta({ description: 'an absolute folder: only questions in this folder or below' }),
});
export type MemoryFilter = z.infer<typeof MemoryFilter>;

export const MemoryQuery = z.strictObject({
  ...MemoryFilter.shape,
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_QUESTIONS)
    .optional()
    .meta({ type: 'integer', description: 'at most this many questions; 200 by default' }),
});
export type MemoryQuery = z.infer<typeof MemoryQuery>;

export const MemoryPage = z
  .object({
    total: z.int().meta({ description: 'how many questions match' }),
    answers: z.int().meta({ description: 'how many answers these questions have' }),
    questions: z.array(RememberedQuestion).meta({ description: 'the most recently answered first' }),
  })
  .meta({ id: 'MemoryPage' });
export type MemoryPage = z.infer<typeof MemoryPage>;

export const Forgotten = z.object({ forgotten: z.int() }).meta({ id: 'Forgotten' });
export type Forgotten = z.infer<typeof Forgotten>;

/** The part of the REST interface for earlier answers. */
export const MEMORY_ROUTES = {
  questionMemory: {
    method: 'get',
    path: '/sessions/{slug}/memory',
    who: 'session',
    summary: "What a person answered earlier to the session's open question, in the same project",
    query: QuestionQuery,
    response: QuestionMemory,
    errors: ['no_such_session', 'no_question', 'stale_question'],
  },
  memory: {
    method: 'get',
    path: '/memory',
    who: 'session',
    summary: 'The questions that a person has answered, with their answers',
    query: MemoryQuery,
    response: MemoryPage,
  },
  forgetMemory: {
    method: 'delete',
    path: '/memory',
    who: 'person',
    summary:
      'Delete the answers to the matching questions, or all answers; CBOS no longer suggests rules based on them',
    query: MemoryFilter,
    response: Forgotten,
  },
} as const satisfies Record<string, RouteRow>;
