import { type AnswerPlan, planAnswer } from '../../core/answer/answer.ts';
import { replyTo } from '../../core/answer/reply.ts';
import { TRUSTS, type TrustRequest } from '../../core/status/index.ts';
import { type Answer, CatalogueError, type Question } from '../../protocol/index.ts';
import type { EvidenceIntake } from '../session/evidence-intake.ts';
import type { Mailbox } from '../session/mailbox.ts';
import type { SessionStatus } from '../session/session-status.ts';
import type { JsonDeliverer } from './deliver.ts';
import type { JsonDriver } from './driver.ts';

/** The session that asks. */
interface AskingSession {
  readonly slug: string;
  readonly mailbox: Mailbox;
  readonly status: Pick<SessionStatus, 'memory'>;
  readonly intake: Pick<EvidenceIntake, 'seeEnd'>;
}

export interface AnswerParts {
  actor: AskingSession;
  driver: JsonDriver;
  deliverer: JsonDeliverer;
}

/**
 * Answers the question that is open, or by its id the one that is meant.
 * @throws CatalogueError no_question, stale_question, no_such_option, not_confirmed; for a question in words what `send` throws
 */
export async function answerJsonQuestion(parts: AnswerParts, request: Answer): Promise<void> {
  const question = openQuestion(parts, request);
  const plan = planAnswer(question, request);
  if (plan.kind === 'refuse') throw refusal(question, plan.message);
  if (plan.kind === 'prompt') {
    await parts.deliverer.send({ text: plan.text });
    return;
  }
  await parts.actor.mailbox.post(async () => {
    // By its turn in the mailbox another one may be open.
    openQuestion(parts, { ...request, question_id: question.id });
    const { trust } = parts.driver.evidence;
    if (trust?.id === question.id) return answerTrust(parts, trust, plan);
    const asked = parts.driver.evidence.requests.find(({ requestId }) => requestId === question.id);
    if (asked === undefined) throw new CatalogueError('stale_question');
    const reply = replyTo(asked, question, plan, { endsTurn: false });
    if ('why' in reply) throw refusal(question, reply.why);
    await parts.driver.answer(asked.requestId, reply);
  });
}

/** A yes holds for this session and this folder; a no leaves nothing that could ever run. */
async function answerTrust(
  { actor, driver }: AnswerParts,
  trust: TrustRequest,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
): Promise<void> {
  const isYes = plan.kind === 'select' && plan.parts[0]?.options[0] === TRUSTS;
  if (isYes) await driver.trust(trust);
  else actor.intake.seeEnd();
}

function openQuestion({ actor }: AnswerParts, { question_id: id }: Answer): Question {
  const { question } = actor.status.memory();
  if (question === null) throw new CatalogueError('no_question', `${actor.slug} asks nothing`);
  if (id !== undefined && id !== question.id) throw new CatalogueError('stale_question');
  return question;
}

function refusal(question: Question, message: string): CatalogueError {
  const listed = question.questions.map(({ options }) =>
    options.map(({ key, label }) => `${key}. ${label}`).join(', '),
  );
  return new CatalogueError('no_such_option', message, {
    hint: `The options are: ${listed.join('; ')}`,
    extra: { question },
  });
}
