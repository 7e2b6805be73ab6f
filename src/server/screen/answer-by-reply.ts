import { decidedOn, interruptedOn, outcomeOf, type SeenSinceReply } from '../../core/answer/outcome.ts';
import { type Reply, replyTo } from '../../core/answer/reply.ts';
import { asksFirst, hasSameCall, type PendingTool, type ScreenFrame } from '../../core/status/index.ts';
import { hookEventsOf, parseClaudeVersion } from '../../platform/claude/index.ts';
import { type Answer, CatalogueError, type Question, type QuestionKind } from '../../protocol/index.ts';
import type { ArrivedHook, SessionActor } from '../session/actor.ts';
import { noteEnding } from '../session/delivery-journal.ts';
import { openQuestion, readAnswer, refusal, shownQuestion } from '../session/open-question.ts';
import { isViewOpen } from './close-view.ts';

/**
 * How long to wait for a dialog's hook to report. On a machine with a load of 35, the hook ran 2 s after the dialog had
 * appeared.
 */
const HOOK_LAG_MS = 5_000;
/**
 * How long to wait for a dialog to disappear after its hook has ended because somebody answered at the terminal. The
 * dialog disappears after about 100 ms.
 */
const GOING_MS = 1_000;
/**
 * How long to wait for the effect of a reply. The dialog disappears after 100 ms, and the status changes after about
 * 300 ms, or somewhat later if the reply is a no.
 */
const EFFECT_MS = 4_000;
/**
 * How much longer to wait before reporting that the reply was not accepted. On a machine with a load of 35, the effect
 * took more than 4 s.
 */
const LATE_EFFECT_MS = 8_000;
/**
 * How long to wait for an effect of the reply if the dialog has disappeared without one. A tool that is starting may
 * draw nothing at first.
 */
const NOTHING_MS = 1_500;

/**
 * Replies through the hook that is waiting for an answer to the question. Claude Code accepts only one reply, after
 * which the hook ends. Therefore the next server never repeats a reply that a killed server has given, but still gives
 * one that is missing.
 * @returns the answer that must still be typed, because no hook is waiting or the hook cannot express the answer; null
 * if nothing is left to type
 * @throws CatalogueError no_question, stale_question, question_behind, no_such_option, not_confirmed
 */
export async function answerByReply(actor: SessionActor, id: string, request: Answer): Promise<Answer | null> {
  await untilHookTells(actor, id);
  const question = shownQuestion(actor, id);
  const { wait } = actor.status.memory();
  const tool = waitingTool(actor, wait);
  if (wait === null || tool?.wait === undefined) {
    requireReach(question, request);
    return request;
  }
  const plan = readAnswer(actor, question, request);
  if (plan.kind === 'prompt' || plan.kind === 'form') throw new CatalogueError('stale_question');
  const asked = await actor.deps.waits.asked(wait);
  if (asked === null) return withoutHook(actor, { question, wait, request });
  const { tool_input: input } = asked as { tool_input?: unknown };
  const reply = replyTo({ input, suggestions: tool.wait.suggestions }, question, plan, {
    endsTurn: true,
    reach: request.for,
  });
  if ('why' in reply) return byItsWords(actor, question, request);
  const isOpen = (): boolean => asksFirst(actor.status.memory(), question.id);
  const watch = watchOutcome(actor, { kind: question.kind, isOpen, tool, reply });
  try {
    noteEnding(actor, 'answer');
    if (!(await actor.deps.waits.reply(wait, hookOutput(reply)))) {
      return await withoutHook(actor, { question, wait, request });
    }
    await confirm(actor, watch.outcome, reply.behavior === 'deny' && reply.interrupt === true);
    actor.intake.settleCall(wait, reply.behavior === 'deny');
  } finally {
    watch.dispose();
    actor.intake.forgetWait(wait);
  }
  return null;
}

/** Returns the hooks that the session's version of Claude Code reports; none if the version is not known. */
function reportedHooks({ record }: SessionActor): readonly string[] {
  const version = parseClaudeVersion(record.claudeVersion ?? '');
  return version === null ? [] : hookEventsOf(version);
}

/**
 * Waits until the dialog's hook has reported. On a loaded machine, a dialog may be drawn before its hook has written
 * its payload.
 */
async function untilHookTells(actor: SessionActor, id: string): Promise<void> {
  const { status, record } = actor;
  if (
    !reportedHooks(actor).includes('PermissionRequest') ||
    record.launchId === null ||
    status.evidence().hooks.lastAt === null
  )
    return;
  const isTold = (): boolean => {
    const { question, wait } = status.memory();
    if (wait !== null || question === null || !asksFirst(status.memory(), id)) return true;
    return question.kind === 'setup' || hasToldWithoutWait(status, question);
  };
  await status.until(isTold, HOOK_LAG_MS);
}

/**
 * Reports whether a hook has reported the question but does not wait for a reply. The hooks of background agents do not
 * wait, nor do hooks that cannot receive a reply.
 */
const hasToldWithoutWait = (status: SessionActor['status'], { tool }: Question): boolean =>
  status
    .evidence()
    .hooks.tools.some(
      ({ requestedAt, wait, input }) => requestedAt !== null && wait === undefined && input === tool?.input,
    );

export const waitingTool = ({ status }: SessionActor, wait: string | null): PendingTool | null =>
  status.evidence().hooks.tools.find((tool) => tool.wait !== undefined && tool.wait.id === wait) ?? null;

export const hookOutput = (decision: Reply): object => ({
  hookSpecificOutput: { hookEventName: 'PermissionRequest', decision },
});

/**
 * Handles a hook that has ended. Either somebody has answered at the terminal, or the hook has ended for another reason
 * and the dialog is still open.
 */
async function withoutHook(
  actor: SessionActor,
  { question, wait, request }: { question: Question; wait: string; request: Answer },
): Promise<Answer> {
  await actor.status.until(() => !asksFirst(actor.status.memory(), question.id), GOING_MS);
  openQuestion(actor, question.id);
  const left = byItsWords(actor, question, request);
  actor.intake.forgetWait(wait);
  return left;
}

/**
 * Returns the answer to type if only the dialog offers the option and the hook does not. The dialog may number its
 * options differently, so the option is found by its label or its meaning.
 */
function byItsWords(actor: SessionActor, question: Question, request: Answer): Answer {
  requireReach(question, request);
  const { choice } = request;
  if (typeof choice !== 'number' || question.kind === 'question') return request;
  const option = question.options[choice - 1];
  const drawn = actor.status.evidence().screen?.reading.dialog?.parts[0]?.options ?? [];
  const at = drawn.findIndex(({ means, label }) => label === option?.label || means === option?.means);
  if (at < 0) throw refusal(question, 'The dialog does not show this option');
  return { ...request, choice: at + 1 };
}

/**
 * Throws if the answer specifies a scope. An option of the dialog allows exactly what its label says, so a different
 * scope cannot be typed.
 */
function requireReach(question: Question, request: Answer): void {
  if (request.for === undefined) return;
  throw refusal(question, `The dialog has no "always" for the ${request.for}`);
}

export interface Watch {
  outcome: () => ReturnType<typeof outcomeOf>;
  dispose(): void;
}

/** What a hook shows about the turn of a reply. */
const FOLLOWS: ReadonlyMap<string, SeenSinceReply['followed']> = new Map([
  ['Stop', 'turn_end'],
  ['StopFailure', 'turn_end'],
  ['UserPromptSubmit', 'prompt'],
]);

/** Watches for the effects of a reply. Call this before the reply is given. */
export function watchOutcome(
  actor: SessionActor,
  { kind, isOpen, tool, reply }: { kind: QuestionKind; isOpen: () => boolean; tool: PendingTool; reply: Reply },
): Watch {
  const { status } = actor;
  const frame = (): ScreenFrame | undefined => status.evidence().screen?.frame;
  const before = { decided: decidedOn(frame()), interrupted: interruptedOn(frame()) };
  const isEveryEndReported = reportedHooks(actor).includes('PostToolUseFailure');
  let endedInput: unknown = null;
  let followed: SeenSinceReply['followed'] = null;
  const dispose = actor.onHook(({ event, payload }: ArrivedHook) => {
    followed ??= FOLLOWS.get(event) ?? null;
    if (event.startsWith('PostToolUse') && hasSameCall(tool, payload)) endedInput = payload.tool_input ?? {};
  });
  const seen = (): SeenSinceReply => {
    const { primary } = status.memory();
    const decided = Math.max(0, decidedOn(frame()) - before.decided);
    const interrupted = Math.max(0, interruptedOn(frame()) - before.interrupted);
    return { isOpen: isOpen(), primary, endedInput, followed, isEveryEndReported, decided, interrupted };
  };
  return { outcome: () => outcomeOf(reply, kind, seen()), dispose };
}

/**
 * @param endsTurn whether the reply ends the turn; if something is running afterwards, somebody at the terminal has
 * allowed it
 */
async function confirm(actor: SessionActor, outcome: Watch['outcome'], endsTurn: boolean): Promise<void> {
  const { status, slug } = actor;
  await status.until(() => outcome() !== 'open', EFFECT_MS);
  const isRunning = (): boolean => status.memory().primary === 'active';
  // After a no, the model may think for a long time without drawing anything, although the dialog is already gone.
  if (outcome() === 'open' && isRunning() && !endsTurn) return;
  await status.until(() => outcome() !== 'open', LATE_EFFECT_MS);
  if (outcome() === 'other') await status.until(() => outcome() === 'taken', NOTHING_MS);
  if (outcome() === 'taken') return;
  if (outcome() === 'other')
    throw new CatalogueError('stale_question', 'The dialog was answered or dismissed before CBOS answered');
  const what = isRunning()
    ? 'the session continued as if somebody had answered yes at the terminal'
    : 'the dialog is still open';
  throw new CatalogueError('not_confirmed', `CBOS sent the answer, but ${what}`, {
    hint: isViewOpen(actor)
      ? `a view covers it; \`cbos interrupt ${slug}\` closes the view`
      : `\`cbos attach ${slug}\` shows it; nothing was typed`,
  });
}
