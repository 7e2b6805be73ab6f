import type { AnswerPlan } from '../../core/answer/answer.ts';
import { CatalogueError, type Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * The question that is open.
 * @param id of the one that is meant; left out: whichever it is
 * @throws CatalogueError not_adopted, no_question, stale_question
 */
export function openQuestion(actor: SessionActor, id: string | undefined): Question {
  const { record } = actor;
  if (!record.adopted && !actor.isDead()) {
    throw new CatalogueError('not_adopted', undefined, { hint: `cbos adopt ${record.screenId}` });
  }
  const { question } = actor.status.memory();
  if (question === null) throw new CatalogueError('no_question', `${actor.slug} asks nothing`);
  if (id !== undefined && id !== question.id) throw new CatalogueError('stale_question');
  return question;
}

/** An answer that is none of the question's, or that nobody may give who has not seen all of it. */
export function refusedAs(slug: string, question: Question, { code, message }: RefusedAnswer): CatalogueError {
  if (code !== 'not_shown_whole') return refusal(question, message);
  const hint = `\`cbos attach ${slug}\` opens its terminal, which takes the answer; \`cbos answer ${slug} no\` refuses it`;
  return new CatalogueError(code, message, { hint, extra: { question } });
}

type RefusedAnswer = Pick<Extract<AnswerPlan, { kind: 'refuse' }>, 'code' | 'message'>;

/** An answer that the question does not offer, with what it does. */
export function refusal(question: Question, message: string): CatalogueError {
  const parts = question.questions.length > 0 ? question.questions : [question];
  const listed = parts.map(({ text, options }) => {
    const labels = options.map(({ key, label }) => `${key}. ${label}`).join(', ');
    return parts.length > 1 ? `${text} ${labels}` : labels;
  });
  return new CatalogueError('no_such_option', message, {
    hint: `The options are: ${listed.join('; ')}`,
    extra: { question },
  });
}
