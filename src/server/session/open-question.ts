import { type AnswerPlan, partsOf, planAnswer } from '../../core/answer/answer.ts';
import { questionOf, standingFor } from '../../core/status/index.ts';
import { type Answer, CatalogueError, type Question, type StandingChoices } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { SessionActor } from './actor.ts';

/** The session that is asking. */
export type AskingSession = Pick<SessionActor, 'slug' | 'record' | 'isDead'> & {
  readonly status: Pick<SessionActor['status'], 'memory'>;
};

/**
 * Returns an open question.
 * @param id the id of the question that is meant; if omitted, the oldest open question
 * @throws CatalogueError not_adopted, no_question, stale_question
 */
export function openQuestion(actor: AskingSession, id: string | undefined): Question {
  const { record } = actor;
  if (!record.adopted && !actor.isDead()) {
    throw new CatalogueError('not_adopted', undefined, { hint: `cbos adopt ${record.screenId}` });
  }
  const memory = actor.status.memory();
  const [oldest] = memory.questions;
  if (oldest === undefined) throw new CatalogueError('no_question', `${actor.slug} has no open question`);
  const meant = id === undefined ? oldest : questionOf(memory, id);
  if (meant === undefined) throw new CatalogueError('stale_question');
  return meant;
}

/**
 * Returns the question with this id if its dialog is the one that Claude Code shows. Hooks report the requests of
 * several agents in one order, and Claude Code may draw the dialogs in another.
 * @throws CatalogueError not_adopted, no_question, stale_question, question_behind
 */
export function shownQuestion(actor: AskingSession, id: string | undefined): Question {
  const question = openQuestion(actor, id);
  if (question.behind !== true) return question;
  throw questionBehind(actor.slug, { first: actor.status.memory().question, question });
}

/**
 * Returns the error for a question whose dialog is not open yet, because Claude Code shows one dialog at a time.
 * @param first the question whose dialog is open
 */
export function questionBehind(
  slug: string,
  { first, question }: { first: Question | null | undefined; question: Question },
): CatalogueError {
  return new CatalogueError('question_behind', `Claude Code shows another question of ${slug} first`, {
    hint: `\`cbos answer ${slug} --question ${first?.id ?? ''} …\` answers the question that comes first`,
    extra: { question },
  });
}

/**
 * Returns what an answer means for the question.
 * @throws CatalogueError no_such_option; not_shown_whole for an answer that nobody may give without having seen the
 * whole question
 */
export function readAnswer(
  { slug, record: { type } }: Pick<AskingSession, 'slug' | 'record'>,
  question: Question,
  answer: Answer,
): Exclude<AnswerPlan, { kind: 'refuse' }> {
  const plan = planAnswer(question, answer);
  if (plan.kind !== 'refuse') return plan;
  if (plan.code === 'invalid_values' || plan.code === 'form_at_terminal') {
    const hint = formHint(slug, question, plan.code);
    throw new CatalogueError(plan.code, plan.message, { hint, extra: { question } });
  }
  if (plan.code === 'form_left') {
    const hint = `\`cbos answer ${slug} no --question ${question.id}\` closes the form`;
    throw new CatalogueError(plan.code, plan.message, { hint, extra: { question } });
  }
  if (plan.code !== 'not_shown_whole') throw refusal(question, plan.message);
  // A JSON session that asks something gets no terminal.
  const hint =
    type === 'json'
      ? `\`cbos answer ${slug} no\` refuses it; then \`cbos attach ${slug}\` opens a terminal, where Claude Code can ask again`
      : `\`cbos attach ${slug}\` opens the terminal to answer there; \`cbos answer ${slug} no\` refuses it`;
  throw new CatalogueError(plan.code, plan.message, { hint, extra: { question } });
}

function formHint(slug: string, { form, id }: Question, code: 'invalid_values' | 'form_at_terminal'): string {
  if (code === 'form_at_terminal') {
    return `\`cbos attach ${slug}\` opens the terminal; \`cbos answer ${slug} no\` closes the form`;
  }
  const required = (form?.fields ?? []).filter((field) => field.required && field.default === undefined);
  const shown = required.length > 0 ? required : (form?.fields ?? []).slice(0, 1);
  const sets = shown.map(({ name }) => ` --set ${shellWord(cleanLine(name))}=…`).join('');
  return `\`cbos answer ${slug} --question ${id}${sets}\` fills it in; \`cbos show ${slug}\` lists the fields`;
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
