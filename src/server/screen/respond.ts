import { planAnswer } from '../../core/answer/answer.ts';
import { cleanText } from '../../core/delivery/paste.ts';
import { type Answer, CatalogueError, type Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Deliverer } from '../session/delivery-journal.ts';
import { answerByKeys } from './answer-by-keys.ts';
import { answerByReply } from './answer-by-reply.ts';
import { openQuestion, refusal } from './open-question.ts';

/**
 * Answers the question that is open when the request comes; by the time of its turn another one may be, and that is never
 * answered in its place. Where a hook waits for the reply it is given that, and nothing is typed. Resolves when Claude Code has taken the answer.
 * @throws CatalogueError not_adopted, no_question, stale_question, no_such_option, not_confirmed; for a question in words what `send` throws
 */
export async function answerQuestion(actor: SessionActor, deliverer: Deliverer, request: Answer): Promise<void> {
  const question = openQuestion(actor, request.question_id);
  if (question.kind === 'closing') {
    // Sending takes its own turn in the mailbox, and decides anew there whether the prompt takes text.
    await sendAnswer(actor, deliverer, { question, request });
    return;
  }
  const clean = withCleanTexts(request);
  await actor.mailbox.post(async () => {
    const left = await answerByReply(actor, question.id, clean);
    if (left !== null) await answerByKeys(actor, question.id, left);
  });
}

async function sendAnswer(
  actor: SessionActor,
  deliverer: Deliverer,
  { question, request }: { question: Question; request: Answer },
): Promise<void> {
  const plan = planAnswer(question, request);
  if (plan.kind !== 'prompt') throw refusal(question, plan.kind === 'refuse' ? plan.message : '');
  const { status } = await deliverer.send({ text: plan.text });
  if (status !== 'delivered' && status !== 'queued') {
    throw new CatalogueError(
      'not_confirmed',
      `The text was typed into ${actor.slug}'s prompt; nothing says that it was taken`,
    );
  }
}

/** The request with its texts as they may be typed into a field. */
function withCleanTexts({ text, answers, ...rest }: Answer): Answer {
  const clean = (value: string): string => cleanText(value).text.trim();
  const remark = clean(text ?? '');
  const labels = Object.entries(answers ?? {}).map(
    ([question, given]) => [question, typeof given === 'string' ? clean(given) : given.map(clean)] as const,
  );
  return {
    ...rest,
    ...(remark === '' ? {} : { text: remark }),
    ...(answers === undefined ? {} : { answers: Object.fromEntries(labels) }),
  };
}
