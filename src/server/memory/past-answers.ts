import { findAnswered, recall, remembersKind, sayAgain, toRemembered } from '../../core/memory/index.ts';
import { followLinks } from '../../platform/rules/index.ts';
import type { AnswerStore } from '../../platform/sqlite/answer-store.ts';
import {
  CatalogueError,
  type Forgotten,
  type MemoryFilter,
  type MemoryPage,
  type MemoryQuery,
  openQuestions,
  placeOf,
  type QuestionMemory,
  type Session,
} from '../../protocol/index.ts';
import { projectOf } from './project-of.ts';

/** How many questions `GET /memory` returns by default. */
const DEFAULT_QUESTIONS = 200;

/**
 * Handles requests about the answers that people gave earlier. It only reads and deletes them; it never answers a
 * question.
 */
export interface PastAnswers {
  /**
   * @param id any id under which the question that is meant was shown; if omitted, the oldest open one
   * @throws CatalogueError no_such_session, no_question, stale_question
   */
  ofQuestion(slug: string, id?: string): Promise<QuestionMemory>;
  list(query: MemoryQuery): Promise<MemoryPage>;
  forget(filter: MemoryFilter): Promise<Forgotten>;
}

export function createPastAnswers({
  store,
  sessions,
}: {
  store: AnswerStore;
  sessions: { get(slug: string): Session; questionId(slug: string, id: string): string };
}): PastAnswers {
  async function matching({ q = '', project }: MemoryFilter): Promise<ReturnType<typeof findAnswered>> {
    const folder = project === undefined ? null : await projectAt(project);
    return findAnswered(store.all(), { words: q.split(/\s+/).filter((word) => word !== ''), project: folder });
  }

  return {
    ofQuestion: async (slug, id) => {
      const session = sessions.get(slug);
      const path = placeOf(session);
      const questions = openQuestions(session.status);
      const meant = id === undefined ? questions[0]?.id : sessions.questionId(slug, id);
      const question = questions.find((one) => one.id === meant);
      if (questions.length === 0) throw new CatalogueError('no_question', `${slug} has no open question`);
      if (question === undefined) throw new CatalogueError('stale_question');
      const { id: question_id, tool } = question;
      if (path === null || tool === null || !remembersKind(question)) {
        return { question_id, answers: [], differs: false, suggestion: null };
      }
      const { answers, differs, same } = recall(store.to({ project: await projectAt(path), tool }));
      return { question_id, answers, differs, suggestion: same === null ? null : sayAgain(question, same) };
    },
    list: async ({ limit = DEFAULT_QUESTIONS, ...filter }) => {
      const found = await matching(filter);
      return {
        total: found.length,
        answers: found.reduce((sum, answers) => sum + answers.length, 0),
        questions: found.slice(0, limit).map(toRemembered),
      };
    },
    forget: async (filter) => {
      const ids = (await matching(filter)).flat().map(({ id }) => id);
      store.forget(ids);
      return { forgotten: ids.length };
    },
  };
}

const projectAt = async (path: string): Promise<string> => projectOf((await followLinks(path)) ?? path);
