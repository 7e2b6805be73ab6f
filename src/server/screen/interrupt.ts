import { optionFor, partsOf } from '../../core/answer/answer.ts';
import { draftOf, isDialogOpen } from '../../core/delivery/seen.ts';
import { beginEnding, finishEnding, leftoversOf, undoEnding } from '../../core/delivery/standing.ts';
import { advanceTakingOut, squeeze, type TakingOut, takeOutPrompt } from '../../core/delivery/take-out.ts';
import { isTurnRunning } from '../../core/status/hooks/hooks.ts';
import type { HookEvidence, ScreenFrame } from '../../core/status/index.ts';
import { INTERRUPTED } from '../../core/status/screen/layout.ts';
import { lastTurnOn } from '../../core/status/screen/screen-rules.ts';
import { pressEscape } from '../../platform/gnu-screen/index.ts';
import { CatalogueError, type Question } from '../../protocol/index.ts';
import { onlyForms } from '../../text/form-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { openDeliveryJournal } from '../session/delivery-journal.ts';
import { pausedHint, stopQueue } from '../session/queue-stop.ts';
import { deliveriesOf, seeDelivery, seePrompt } from '../session/see-delivery.ts';
import { closeForms } from './answer-form.ts';
import { carryOn } from './carry-on.ts';
import { closeView, isViewOpen } from './close-view.ts';

/**
 * How long to wait for the turn to end. Esc ends the turn within 55 ms, and the status changes after 70 to 600 ms,
 * depending on which source reports the end. At a load of 44 on two cores, the change took more than 3 s.
 */
const CONFIRM_MS = 8_000;
/**
 * How long to wait for the turn's prompt to reappear in the box. Claude Code draws it about 50 ms after the end of the
 * turn, or after a second on a loaded machine. If the prompt does not reappear, Claude Code draws its interrupt mark
 * instead.
 */
const RESTORED_MS = 2_000;
const SETTLED_MS = 600;

/**
 * Stops the running turn with Esc, or closes the form of an MCP server, or, if no turn is running, the view that covers
 * the prompt. A draft that
 * somebody has typed stays in the box, but text that Claude Code puts back into an empty box is removed. Since version
 * 2.1.150, the prompt of a turn that is interrupted before its first visible answer reappears in the box, and the next
 * prompt would be appended to it.
 * @throws CatalogueError nothing_running (also while a dialog is open, because Esc would dismiss it), not_adopted,
 * not_confirmed, session_dead
 */
export function interruptTurn(actor: SessionActor): Promise<void> {
  return actor.mailbox.post(async () => {
    const { status, deps } = actor;
    if (isViewOpen(actor) && !isRunning(actor)) return closeView(actor);
    const forms = onlyForms(status.memory().questions);
    if (forms.length > 0) return closeForms(actor, forms);
    requireRunning(actor);
    const { target } = actor;
    const screen = status.evidence().screen;
    const draft = draftOf(seePrompt(actor));
    const prompt = runningPrompt(actor);
    const marks = countMarks(screen?.frame);

    stopQueue(actor);
    const journal = openDeliveryJournal(actor);
    const before = deliveriesOf(actor);
    const begun = beginEnding(before, 'interrupt');
    journal.apply(begun);
    const pressedAt = deps.clock.now();
    await pressEscape(deps.screen, target);
    // A prompt in Claude Code's queue immediately starts another turn. In that case, only the interrupt mark shows that
    // the interrupted turn has ended.
    const isMarked = (): boolean => countMarks(status.evidence().screen?.frame) > marks;
    // If a dialog opens just before the Esc arrives, the turn has not ended yet. It ends when Esc dismisses the dialog.
    const hasEnded = (): boolean => isMarked() || (!isRunning(actor) && !isDialogOpen(seePrompt(actor)));
    if (!(await status.until(hasEnded, CONFIRM_MS))) {
      throw new CatalogueError('not_confirmed', `CBOS typed Esc, but ${actor.slug} is still running`, {
        hint: whyNoEffect(actor),
      });
    }
    if (actor.isDead()) {
      throw new CatalogueError('session_dead', `CBOS typed Esc, and Claude Code in ${actor.slug} has ended`);
    }
    actor.intake.interruptCalls(pressedAt);
    // Right after a prompt has been sent, the last frame may still show the prompt in the box.
    const wasEmpty = draft === null || (prompt !== null && squeeze(draft) === squeeze(prompt));
    const isRestored = wasEmpty && prompt !== null && (await takeOutRestored(actor, prompt, isMarked));
    if (!isRestored) await status.until(() => isMarked() || isTurnRunning(status.evidence().hooks), SETTLED_MS);
    if (!isMarked()) {
      const end = isRestored ? 'interrupted' : endWithoutMark(status.evidence().hooks, pressedAt);
      if (end === 'interrupted') return;
      if (end === 'ended') journal.apply(undoEnding(before, begun, deliveriesOf(actor)));
      throw notInterrupted(actor, end);
    }
    journal.apply(finishEnding(deliveriesOf(actor)));
    actor.promptKeys.rememberAnswerKey(null);
    // The status changes a little later than the interrupt mark is drawn. If a prompt was in Claude Code's queue, the
    // next turn may already be running.
    await status.until(() => !isRunning(actor), SETTLED_MS);
  });
}

function requireRunning(actor: SessionActor): void {
  const isDialogShown = actor.status.evidence().screen?.reading.dialog != null;
  if (isRunning(actor) && !isDialogShown) return;
  const { question } = actor.status.memory();
  if (!isDialogShown && (question === null || question.kind === 'closing')) throw new CatalogueError('nothing_running');
  throw new CatalogueError(
    'nothing_running',
    `${actor.slug} is waiting for an answer; an interrupt would dismiss the dialog`,
    { hint: refusingHint(actor.slug, question) },
  );
}

/** Not every dialog has an option that means no. In the terminal, Esc dismisses each of them. */
const refusingHint = (slug: string, question: Question | null): string =>
  question !== null && optionFor(question.kind, partsOf(question)[0].options, 'no') < 0
    ? `\`cbos show ${slug}\` lists its options; Esc in the terminal (\`cbos attach ${slug}\`) dismisses it`
    : `\`cbos answer ${slug} no\` refuses it`;

/** Returns how a turn ended whose end Claude Code has not marked on the screen as an interrupt. */
function endWithoutMark(hooks: HookEvidence, pressedAt: number): 'interrupted' | 'ended' | 'unknown' {
  // The hooks report the end of every turn that is not interrupted (2.1.330).
  if (isTurnRunning(hooks)) return 'interrupted';
  return hooks.turnEnd !== null && hooks.turnEnd.at >= pressedAt ? 'ended' : 'unknown';
}

function notInterrupted(actor: SessionActor, end: 'ended' | 'unknown'): CatalogueError {
  const found =
    end === 'ended'
      ? `the turn of ${actor.slug} ended on its own`
      : `nothing shows whether Esc or its answer ended the turn of ${actor.slug}`;
  return new CatalogueError('not_confirmed', `CBOS typed Esc, but ${found}`, { hint: whyNoEffect(actor) });
}

const whyNoEffect = (actor: SessionActor): string =>
  ['If Esc has no effect, look for "escape" in Claude Code\'s keybindings.json', ...pausedHint(actor)].join('; ');

function isRunning(actor: SessionActor): boolean {
  const { primary } = actor.status.memory();
  return primary === 'active' || primary === 'stuck';
}

/**
 * Returns the prompt of the running turn, as reported by the hook or, without such a report, as shown on the screen
 * above the answer.
 */
function runningPrompt(actor: SessionActor): string | null {
  const { hooks, screen } = actor.status.evidence();
  if (hooks.prompt !== null) return hooks.prompt.text;
  const [first] = screen === null ? [] : lastTurnOn(screen.frame);
  return first?.kind === 'prompt' ? first.lines.join('\n').slice(1) : null;
}

function countMarks(frame: ScreenFrame | undefined): number {
  return frame?.lines.filter((line) => INTERRUPTED.test(line)).length ?? 0;
}

/**
 * Removes the reappeared prompt from the box, but only if the box contains exactly that prompt, either alone or
 * followed by the prompts that were queued after it.
 * @returns whether the prompt reappeared, which proves that the turn was interrupted
 */
async function takeOutRestored(actor: SessionActor, prompt: string, isMarked: () => boolean): Promise<boolean> {
  const isPrompt = (): boolean => squeeze(draftOf(seePrompt(actor)) ?? '') === squeeze(prompt);
  const isRestored = (): boolean => !isRunning(actor) && (isPrompt() || leftoversOf(seeDelivery(actor)) !== null);
  await actor.status.until(() => isRestored() || isMarked(), RESTORED_MS);
  if (!isRestored()) return false;
  const seen = seeDelivery(actor);
  // If a person typed the prompt, CBOS has no delivery for it.
  const from: TakingOut = leftoversOf(seen) === null ? takeOutPrompt(prompt, seen) : { at: 'begin' };
  await carryOn({ actor, journal: openDeliveryJournal(actor) }, advanceTakingOut, from);
  return true;
}
