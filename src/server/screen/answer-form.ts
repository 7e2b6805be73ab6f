import { type FormPlan, formReply } from '../../core/answer/form-answer.ts';
import { endedFormOf } from '../../core/status/index.ts';
import { pressEscape } from '../../platform/gnu-screen/index.ts';
import { CatalogueError, type Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { openQuestion } from '../session/open-question.ts';
import type { Dispose } from '../sessions.ts';
import { waitingForms } from './form-waits.ts';

/** How long to wait for a form's dialog to disappear after Esc. It takes about 100 ms. */
const CLOSED_MS = 8_000;
/**
 * How long after an answer the notification may come that the server has cancelled its request. It came 0.4 s after the
 * answer on a loaded machine (2.1.330).
 */
const CANCEL_LAG_MS = 1_000;

/**
 * Answers the form of an MCP server: through the hook that waits for the reply, or, if the form is in the terminal, by
 * closing it with Esc, which the server gets as a cancellation. Call this in the session's mailbox.
 * @throws CatalogueError stale_question, form_left, not_confirmed
 */
export async function answerForm(actor: SessionActor, { id }: Question, plan: FormPlan): Promise<void> {
  const { deps, status, slug, target } = actor;
  const isGone = (): boolean => !status.memory().questions.some((open) => open.id === id);
  // By the time the mailbox runs this task, another question may be open.
  const question = openQuestion(actor, id);
  const waiting = waitingForms(actor).find((form) => form.id === id);
  if (waiting !== undefined) {
    const { server } = waiting.form;
    const isAlone = waitingForms(actor).filter(({ form }) => form.server === server).length === 1;
    const cancels = watchCancels(actor, server);
    const isTold = await deps.waits.reply(waiting.wait, hookOutput(plan)).catch((error: unknown) => {
      cancels.dispose();
      throw error;
    });
    if (isTold) {
      actor.intake.forgetWait(waiting.wait, 'answered');
      const isCancelled = plan.action === 'accept' && (await cancels.hasCome());
      cancels.dispose();
      if (!isCancelled) return;
      if (isAlone) {
        throw new CatalogueError('form_left', 'The answer came too late: the MCP server has cancelled its request');
      }
      const why = `The MCP server ${server} has cancelled one of its requests, perhaps the one that was answered`;
      throw new CatalogueError('not_confirmed', why, { hint: `\`cbos show ${slug}\` shows what is still open` });
    }
    cancels.dispose();
    // Claude Code shows the form to a person at the terminal, for whom CBOS has just ended the hook.
    const isAtTerminal = actor.view().attached === true;
    actor.intake.forgetWait(waiting.wait, isAtTerminal ? 'terminal' : 'gone');
    const why = isAtTerminal
      ? 'This form is now in the terminal'
      : 'The hook no longer waits for the reply to this form';
    throw new CatalogueError('stale_question', why);
  }
  if (question.form?.at_terminal !== true || plan.action === 'accept') throw new CatalogueError('stale_question');
  await status.until(() => isDrawn(status) || isGone(), CLOSED_MS);
  // The dialog may close on its own, and Esc would then interrupt the turn.
  const isShown = (): boolean => status.memory().question?.id === id && isDrawn(status);
  if (!(await pressEscape(deps.screen, target, isShown))) {
    throw new CatalogueError('stale_question', 'The dialog of this form is no longer open, so nothing was typed');
  }
  if (await status.until(isGone, CLOSED_MS)) return;
  throw new CatalogueError('not_confirmed', `CBOS typed Esc, but the form of ${slug} is still open`, {
    hint: `\`cbos attach ${slug}\` shows it in the terminal`,
  });
}

/**
 * Notices that Claude Code tells a server of a cancelled form. A notification follows each end of a form, except if the
 * hook's answer has reached the server (2.1.330). A hook that takes an answer in the moment in which the server cancels
 * its request is such an end.
 */
function watchCancels(
  { deps, onHook }: SessionActor,
  server: string,
): { hasCome(): Promise<boolean>; dispose: Dispose } {
  let settle: () => void = () => undefined;
  let isCancelled = false;
  const stop = onHook(({ event, payload }) => {
    if (event !== 'Notification' || endedFormOf(payload) !== server) return;
    isCancelled = true;
    settle();
  });
  return {
    hasCome: async () => {
      if (isCancelled) return true;
      await new Promise<void>((resolve) => {
        const cancel = deps.clock.after(CANCEL_LAG_MS, resolve);
        settle = () => {
          cancel();
          resolve();
        };
      });
      return isCancelled;
    },
    dispose: stop,
  };
}

/** CBOS reports a form before Claude Code has drawn its dialog. */
const isDrawn = (status: SessionActor['status']): boolean =>
  status.evidence().screen?.reading.dialog?.form !== undefined;

/** The short form `{action, content}` alone is ignored (2.1.330). */
const hookOutput = (plan: FormPlan): object => ({
  hookSpecificOutput: { hookEventName: 'Elicitation', ...formReply(plan) },
});

/** Closes forms without an answer, as Esc does in Claude Code. */
export async function closeForms(actor: SessionActor, questions: readonly Question[]): Promise<void> {
  for (const question of questions) await answerForm(actor, question, { kind: 'form', action: 'cancel' });
}
