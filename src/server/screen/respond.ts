import { cleanText } from '../../core/delivery/paste.ts';
import { type Answer, CatalogueError, type Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Deliverer } from '../session/delivery-journal.ts';
import { readAnswer, shownQuestion } from '../session/open-question.ts';
import { answerByKeys } from './answer-by-keys.ts';
import { answerByReply } from './answer-by-reply.ts';
import { answerForm } from './answer-form.ts';

/** How long to wait until a dialog appears whose hook is already waiting for a reply. */
const SHOWN_MS = 3_000;

/**
 * Answers the question that is open when the request arrives. If another question is open by the time the mailbox runs
 * the request, that question is not answered instead. If a hook is waiting for a reply, the hook gets the answer and
 * nothing is typed. Resolves when Claude Code has accepted the answer.
 * @returns the dialog's question; null if no dialog was open
 * @throws CatalogueError not_adopted, no_question, stale_question, question_behind, no_such_option, not_confirmed; for
 *   a closing question, everything that `send` throws
 */
export async function answerQuestion(
  actor: SessionActor,
  deliverer: Deliverer,
  request: Answer,
): Promise<Question | null> {
  await untilShown(actor);
  const question = shownQuestion(actor, request.question_id);
  if (question.kind === 'closing') {
    const plan = readAnswer(actor, question, request);
    // `send` posts its own task to the mailbox, where it checks again whether the prompt accepts text.
    if (plan.kind === 'prompt') await sendAnswer(actor, deliverer, plan.text);
    return null;
  }
  if (question.kind === 'form') {
    const plan = readAnswer(actor, question, request);
    if (plan.kind === 'form') await actor.mailbox.post(() => answerForm(actor, question, plan));
    return question;
  }
  const clean = withCleanTexts(request);
  await actor.mailbox.post(async () => {
    const left = await answerByReply(actor, question.id, clean);
    if (left !== null) await answerByKeys(actor, question.id, left);
  });
  return question;
}

/**
 * Waits until the status shows the question. A hook reports a question before the dialog is drawn. On a loaded machine,
 * the dialog appears late, and until then the status follows the screen, which still shows a running turn.
 */
async function untilShown({ status }: SessionActor): Promise<void> {
  const isAsked = (): boolean => status.evidence().hooks.tools.some(({ wait }) => wait !== undefined);
  await status.until(() => status.memory().question !== null || !isAsked(), SHOWN_MS);
}

async function sendAnswer(actor: SessionActor, deliverer: Deliverer, text: string): Promise<void> {
  const { status } = await deliverer.send({ text });
  if (status === 'delivered' || status === 'queued') return;
  throw new CatalogueError(
    'not_confirmed',
    `CBOS typed the text into the prompt of ${actor.slug}, but nothing shows that Claude Code received it`,
    { hint: `\`cbos attach ${actor.slug}\` shows what happened; nothing was typed twice` },
  );
}

/** Returns the request with its texts made safe to type into a field. */
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
