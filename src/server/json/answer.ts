import type { AnswerPlan } from '../../core/answer/answer.ts';
import { formReply } from '../../core/answer/form-answer.ts';
import { replyTo } from '../../core/answer/reply.ts';
import { TRUSTS, type TrustRequest } from '../../core/status/index.ts';
import { type Answer, CatalogueError, type Question } from '../../protocol/index.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import type { Mailbox } from '../session/mailbox.ts';
import { type AskingSession, openQuestion, readAnswer, refusal } from '../session/open-question.ts';
import type { JsonDeliverer } from './deliver.ts';
import type { JsonDriver } from './driver.ts';

export interface AnswerParts {
  actor: AskingSession & { readonly mailbox: Mailbox; readonly intake: Pick<EvidenceIntake, 'seeEnd'> };
  driver: JsonDriver;
  deliverer: JsonDeliverer;
}

/**
 * Answers the open question. If the request names a question, that question must be the open one.
 * @throws CatalogueError no_question, stale_question, no_such_option, invalid_values, not_shown_whole, not_confirmed;
 * for a closing question, also everything that `send` throws
 */
export async function answerJsonQuestion(parts: AnswerParts, request: Answer): Promise<Question | null> {
  const { actor, driver, deliverer } = parts;
  const question = openQuestion(actor, request.question_id);
  const plan = readAnswer(actor, question, request);
  if (plan.kind === 'prompt') {
    await deliverer.send({ text: plan.text });
    return null;
  }
  await actor.mailbox.post(async () => {
    // By the time the mailbox runs this task, another question may be open.
    openQuestion(actor, question.id);
    const { trust, requests, forms = [] } = driver.evidence;
    if (plan.kind === 'form') {
      if (!forms.some(({ id }) => id === question.id)) throw new CatalogueError('stale_question');
      return driver.answer(question.id, formReply(plan));
    }
    if (trust?.id === question.id) return answerTrust(parts, trust, plan);
    const asked = requests.find(({ requestId }) => requestId === question.id);
    if (asked === undefined) throw new CatalogueError('stale_question');
    const reply = replyTo(asked, question, plan, { endsTurn: false, reach: request.for });
    if ('why' in reply) throw refusal(question, reply.why);
    await driver.answer(asked.requestId, reply);
  });
  return question;
}

/**
 * Answers the question whether the user trusts a folder. A yes applies only to this session and this folder. A no ends
 * the session, because Claude Code could never run in it.
 */
async function answerTrust(
  { actor, driver }: AnswerParts,
  trust: TrustRequest,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
): Promise<void> {
  const isYes = plan.kind === 'select' && plan.parts[0]?.options[0] === TRUSTS;
  if (isYes) await driver.trust(trust);
  else actor.intake.seeEnd();
}
