import { type AnswerPlan, partsOf, planAnswer } from '../../core/answer/answer.ts';
import { standingFor } from '../../core/status/index.ts';
import { type Answer, CatalogueError, type Question, type StandingChoices } from '../../protocol/index.ts';
import type { SessionActor } from './actor.ts';

/** The session that is asking. */
export type AskingSession = Pick<SessionActor, 'slug' | 'record' | 'isDead'> & {
  readonly status: Pick<SessionActor['status'], 'memory'>;
};

/**
 * Returns the open question.
 * @param id the id of the expected question; if omitted, any question will do
 * @throws CatalogueError not_adopted, no_question, stale_question
 */
export function openQuestion(actor: AskingSession, id: string | undefined): Question {
  const { record } = actor;
  if (!record.adopted && !actor.isDead()) {
    throw new CatalogueError('not_adopted', undefined, { hint: `cbos adopt ${record.screenId}` });
  }
  const { question } = actor.status.memory();
  if (question === null) throw new CatalogueError('no_question', `${actor.slug} has no open question`);
  if (id !== undefined && id !== question.id) throw new CatalogueError('stale_question');
  return question;
}

/**
 * Returns what an answer means for the question.
 * @throws CatalogueError no_such_option; not_shown_whole for an answer that nobody may give without having seen the
 * whole question
 */
export function readAnswer(slug: string, question: Question, answer: Answer): Exclude<AnswerPlan, { kind: 'refuse' }> {
  const plan = planAnswer(question, answer);
  if (plan.kind !== 'refuse') return plan;
  if (plan.code !== 'not_shown_whole') throw refusal(question, plan.message);
  const hint = `\`cbos attach ${slug}\` opens the terminal to answer there; \`cbos answer ${slug} no\` refuses it`;
  throw new CatalogueError(plan.code, plan.message, { hint, extra: { question } });
}

/** Returns what answering "always" would allow, in this session and in its project. */
export function standingChoices(suggestions: readonly unknown[]): StandingChoices {
  return {
    session: standingFor(suggestions, 'session')?.about ?? null,
    project: standingFor(suggestions, 'project')?.about ?? null,
  };
}

/** Returns the error for an answer that the question does not offer. The error lists the options. */
export function refusal(question: Question, message: string): CatalogueError {
  const listed = partsOf(question).map(({ text, options }) => {
    const labels = options.map(({ key, label }) => `${key}. ${label}`).join(', ');
    return question.questions.length > 1 ? `${text} ${labels}` : labels;
  });
  return new CatalogueError('no_such_option', message, {
    hint: `The options are: ${listed.join('; ')}`,
    extra: { question },
  });
}
