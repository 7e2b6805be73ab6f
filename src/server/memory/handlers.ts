import type { MEMORY_ROUTES } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import type { PastAnswers } from './past-answers.ts';

export function createMemoryHandlers(memory: PastAnswers): Pick<Handlers, keyof typeof MEMORY_ROUTES> {
  return {
    questionMemory: ({ params, query }) => memory.ofQuestion(params.slug, query.question_id),
    memory: ({ query }) => memory.list(query),
    forgetMemory: ({ query }) => memory.forget(query),
  };
}
