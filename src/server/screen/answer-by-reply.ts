import { decidedOn, outcomeOf, type SeenSinceReply } from '../../core/answer/outcome.ts';
import { type Reply, replyTo } from '../../core/answer/reply.ts';
import { hasSameCall, type PendingTool } from '../../core/status/index.ts';
import { hookEventsOf, parseClaudeVersion } from '../../platform/claude/index.ts';
import { type Answer, CatalogueError, type Question, type QuestionKind } from '../../protocol/index.ts';
import type { ArrivedHook, SessionActor } from '../session/actor.ts';
import { noteEnding } from '../session/delivery-journal.ts';
import { openQuestion, readAnswer, refusal } from '../session/open-question.ts';

/** How long to wait for a dialog's hook. At a load of 35, the hook ran 2 s after the dialog appeared. */
const HOOK_LAG_MS = 5_000;
/**
 * How long the screen may still show a dialog whose hook ended because somebody answered at the terminal. It takes
 * about 100 ms.
 */
const GOING_MS = 1_000;
/**
 * How long a dialog may take to disappear after the reply. The dialog takes 100 ms. The status changes after about 300
 * ms, and somewhat later if the reply is a no.
 */
const CONFIRM_MS = 4_000;
/**
 * How much longer to wait before reporting that the reply was not accepted. A machine at a load of 35 took over 4 s.
 */
const LATE_MS = 8_000;
/**
 * How long a yes may show no effect before it counts as not accepted. A tool that is starting may draw nothing at
 * first.
 */
const NOTHING_MS = 1_500;

/**
 * Replies to the hook that is waiting with the question. Claude Code accepts one reply, and the hook ends with it. The
 * next server therefore never repeats a reply that a killed server gave, but does give one that is missing.
 * @returns what is left to be typed, because no hook is waiting or the hook cannot print the answer; null if nothing is
 * left
 * @throws CatalogueError no_question, stale_question, no_such_option, not_confirmed
 */
export async function answerByReply(actor: SessionActor, id: string, request: Answer): Promise<Answer | null> {
  await untilHookTells(actor, id);
  const question = openQuestion(actor, id);
  const { wait } = actor.status.memory();
  const tool = waitingTool(actor, wait);
  if (wait === null || tool?.wait === undefined) {
    requireReach(question, request);
    return request;
  }
  const plan = readAnswer(actor.slug, question, request);
  if (plan.kind === 'prompt') throw new CatalogueError('stale_question');
  const asked = await actor.deps.waits.asked(wait);
  if (asked === null) return withoutHook(actor, { question, wait, request });
  const { tool_input: input } = asked as { tool_input?: unknown };
  const reply = replyTo({ input, suggestions: tool.wait.suggestions }, question, plan, {
    endsTurn: true,
    reach: request.for,
  });
  if ('why' in reply) return byItsWords(actor, question, request);
  const isOpen = (): boolean => actor.status.memory().question?.id === question.id;
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

/** On a loaded machine, a dialog may be drawn before its hook has written its payload. */
async function untilHookTells({ status, record }: SessionActor, id: string): Promise<void> {
  const version = parseClaudeVersion(record.claudeVersion ?? '');
  const hasHook = version !== null && hookEventsOf(version).includes('PermissionRequest');
  if (!hasHook || record.launchId === null || status.evidence().hooks.lastAt === null) return;
  const isTold = (): boolean => {
    const { question, wait } = status.memory();
    return wait !== null || question?.id !== id || question.kind === 'setup' || hasToldWithoutWait(status, question);
  };
  await status.until(isTold, HOOK_LAG_MS);
}

/** A background agent's hook does not wait; neither does a hook that cannot receive a reply. */
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
 * Handles a hook that has ended. Either somebody is answering at the terminal, or the hook ended for another reason and
 * the dialog is still open.
 */
async function withoutHook(
  actor: SessionActor,
  { question, wait, request }: { question: Question; wait: string; request: Answer },
): Promise<Answer> {
  await actor.status.until(() => actor.status.memory().question?.id !== question.id, GOING_MS);
  openQuestion(actor, question.id);
  const left = byItsWords(actor, question, request);
  actor.intake.forgetWait(wait);
  return left;
}

/**
 * Returns the answer to type if only the dialog, and not the hook, offers the option. The dialog may number its options
 * differently, so the option is found by its label or meaning.
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

/** The dialog's own option allows exactly what its label says. An option with a different scope cannot be typed. */
function requireReach(question: Question, request: Answer): void {
  if (request.for === undefined) return;
  throw refusal(question, `The dialog has no "always" for the ${request.for}`);
}

export interface Watch {
  outcome: () => ReturnType<typeof outcomeOf>;
  dispose(): void;
}

/** After a no has ended the turn, the next turn begins with a prompt from Claude Code's queue. */
const TURN_ENDS: ReadonlySet<string> = new Set(['Stop', 'StopFailure', 'UserPromptSubmit']);

/** Watches for the effects of a reply. Call this before the reply is given. */
export function watchOutcome(
  actor: SessionActor,
  { kind, isOpen, tool, reply }: { kind: QuestionKind; isOpen: () => boolean; tool: PendingTool; reply: Reply },
): Watch {
  const { status } = actor;
  const before = decidedOn(status.evidence().screen?.frame);
  let endedInput: unknown = null;
  let isTurnOver = false;
  const dispose = actor.onHook(({ event, payload }: ArrivedHook) => {
    if (TURN_ENDS.has(event)) isTurnOver = true;
    else if (event.startsWith('PostToolUse') && hasSameCall(tool, payload)) endedInput = payload.tool_input ?? {};
  });
  const seen = (): SeenSinceReply => {
    const { primary } = status.memory();
    const decided = Math.max(0, decidedOn(status.evidence().screen?.frame) - before);
    return { isOpen: isOpen(), primary, endedInput, isTurnOver, decided };
  };
  return { outcome: () => outcomeOf(reply, kind, seen()), dispose };
}

/**
 * @param endsTurn whether nothing may run after the reply; if something does run, somebody at the terminal has allowed
 * it
 */
async function confirm({ status, slug }: SessionActor, outcome: Watch['outcome'], endsTurn: boolean): Promise<void> {
  await status.until(() => outcome() !== 'open', CONFIRM_MS);
  const isRunning = (): boolean => status.memory().primary === 'active';
  // After a no, the model may think for a long time without drawing anything, but the dialog is already gone.
  if (outcome() === 'open' && isRunning() && !endsTurn) return;
  await status.until(() => outcome() !== 'open', LATE_MS);
  if (outcome() === 'other') await status.until(() => outcome() === 'taken', NOTHING_MS);
  if (outcome() === 'taken') return;
  if (outcome() === 'other') throw new CatalogueError('stale_question', 'Somebody at the terminal answered first');
  const what = isRunning()
    ? 'the session continued as if somebody at the terminal had answered yes'
    : 'the dialog is still open';
  throw new CatalogueError('not_confirmed', `CBOS gave the reply, but ${what}`, {
    hint: `\`cbos attach ${slug}\` shows it; nothing was typed`,
  });
}
