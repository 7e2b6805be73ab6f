import { optionFor, partsOf } from '../../core/answer/answer.ts';
import { squeeze } from '../../core/delivery/box.ts';
import { beginEnding, finishInterrupt, type Interrupted, promptAbove, undoEnding } from '../../core/delivery/ending.ts';
import { lastTaken, statusOf } from '../../core/delivery/record.ts';
import { draftOf, isDialogOpen } from '../../core/delivery/seen.ts';
import { isQueued, leftoversOf } from '../../core/delivery/standing.ts';
import { advanceTakingOut, type TakingOut, takeOutPrompt } from '../../core/delivery/take-out.ts';
import { isTurnRunning } from '../../core/status/hooks/hooks.ts';
import type { HookEvidence, Millis, ScreenFrame } from '../../core/status/index.ts';
import { INTERRUPTED } from '../../core/status/screen/layout.ts';
import { pressEscape } from '../../platform/gnu-screen/index.ts';
import { CatalogueError, isAsking, type Question } from '../../protocol/index.ts';
import { IN_TERMINAL, UNREAD } from '../../text/delivery-words.ts';
import { onlyForms } from '../../text/form-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { openDeliveryJournal } from '../session/delivery-journal.ts';
import { pausedHint, stopQueue } from '../session/queue-stop.ts';
import { deliveriesOf, seeDelivery, seePrompt } from '../session/see-delivery.ts';
import { closeForms } from './answer-form.ts';
import { carryOn } from './carry-on.ts';
import { closeView, closeViewInTurn, isViewOpen } from './close-view.ts';

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
/** How long to wait for a queued prompt to begin the next turn. On an idle machine, this takes 200 ms. */
const NEXT_MS = 2_000;

/**
 * Stops the running turn with Esc, or closes the form of an MCP server, or, if no turn is running, the view that covers
 * the prompt. A view above the box, which a person has opened during the turn, is closed first. A draft that somebody
 * has typed stays in the box, but text that Claude Code puts back into an empty box is removed. Since version 2.1.150,
 * the prompt of a turn that is interrupted before its first visible answer reappears in the box, and the next prompt
 * would be appended to it.
 * @throws CatalogueError nothing_running (also while a dialog is open, because Esc would dismiss it), not_adopted,
 * not_confirmed, session_dead
 */
export function interruptTurn(actor: SessionActor): Promise<void> {
  return actor.mailbox.post(async () => {
    const { status, deps } = actor;
    if (isViewOpen(actor) && !isRunning(actor)) return closeView(actor);
    await closeViewInTurn(actor);
    const forms = onlyForms(status.memory().questions);
    if (forms.length > 0) return closeForms(actor, forms);
    requireRunning(actor);
    const { target } = actor;
    // A prompt that CBOS typed, and that Claude Code has not read yet, is not a draft of a person.
    const draft = leftoversOf(seeDelivery(actor)) === null ? draftOf(seePrompt(actor)) : null;
    const marks = countMarks(status.evidence().screen?.frame);

    stopQueue(actor);
    const journal = openDeliveryJournal(actor);
    const pressedAt = deps.clock.now();
    const first = beginInterrupt(actor);
    let ending = first;
    await pressEscape(deps.screen, target);
    // A prompt in Claude Code's queue immediately starts another turn. In that case, only the interrupt mark shows that
    // the interrupted turn has ended.
    const isMarked = (): boolean => countMarks(status.evidence().screen?.frame) > marks;
    // If a dialog opens just before the Esc arrives, the turn has not ended yet. It ends when Esc dismisses the dialog.
    const hasEnded = (): boolean => isMarked() || (!isRunning(actor) && !isDialogOpen(seePrompt(actor)));
    const isBack = (): boolean => isRestored(actor, ending, draft);
    for (;;) {
      if (!(await status.until(hasEnded, CONFIRM_MS))) {
        throw new CatalogueError('not_confirmed', `CBOS typed Esc, but ${actor.slug} is still running`, {
          hint: whyNoEffect(actor),
        });
      }
      if (actor.isDead()) {
        throw new CatalogueError('session_dead', `CBOS typed Esc, and Claude Code in ${actor.slug} has ended`);
      }
      // The calls of the next turn have begun after CBOS pressed Esc.
      actor.intake.interruptCalls(ending === first ? pressedAt : deps.clock.now());
      if (mayRestore(ending, draft)) await status.until(() => isBack() || isMarked(), RESTORED_MS);
      if (!isBack()) await status.until(isMarked, SETTLED_MS);
      if (isMarked()) break;
      const end = endWithoutMark(status.evidence().hooks, ending.begunAt);
      if (end === 'ended') {
        // On a loaded machine, Claude Code may read the Esc only after a queued prompt has begun the next turn. The Esc
        // then ends that turn.
        const ended = ending;
        undoInterrupt(actor, ended);
        ending = beginInterrupt(actor);
        const mayFollow = deps.clock.now() - pressedAt < CONFIRM_MS && mayBegin(ending, ended);
        const isNextSeen = (): boolean => isRunning(actor) || isMarked() || isBack();
        if (!isBack() && !(mayFollow && (await status.until(isNextSeen, NEXT_MS)))) {
          undoInterrupt(actor, ending);
          throw notInterrupted(actor, end);
        }
        if (!isBack()) continue;
      }
      if (isBack()) return takeOutRestored(actor, ending);
      if (end === 'interrupted') break;
      throw notInterrupted(actor, end);
    }
    actor.promptKeys.rememberAnswerKey(null);
    const firstMarked = isMarked() ? (status.evidence().screen?.frame ?? null) : null;
    // The status changes a little later than the interrupt mark is drawn. If a prompt was in Claude Code's queue, the
    // next turn may already be running, or begins now.
    const isStillRunning = !(await status.until(() => !isRunning(actor), SETTLED_MS));
    const hasNextBegun = isStillRunning || (await beginsNext(actor, ending));
    // The next turn may have moved older marks off the screen. The last mark is that of this interrupt.
    const frame = status.evidence().screen?.frame;
    const marked = firstMarked !== null && frame !== undefined && countMarks(frame) > 0 ? frame : firstMarked;
    journal.apply(finishInterrupt({ ...ending, marked, hasNextBegun }, deliveriesOf(actor)));
  });
}

/** The interrupt of one turn. */
interface Ending extends Omit<Interrupted, 'marked' | 'hasNextBegun'> {
  /** the prompt of the turn */
  prompt: string | null;
  begunAt: Millis;
}

function beginInterrupt(actor: SessionActor): Ending {
  const before = deliveriesOf(actor);
  const begun = beginEnding(before, 'interrupt');
  const seen = seePrompt(actor);
  openDeliveryJournal(actor).apply(begun);
  return { prompt: runningPrompt(actor), begunAt: actor.deps.clock.now(), before, begun, seen };
}

const undoInterrupt = (actor: SessionActor, { before, begun }: Ending): void =>
  openDeliveryJournal(actor).apply(undoEnding(before, begun, deliveriesOf(actor)));

/** Waits for the turn that Claude Code begins with the prompts in its queue. */
async function beginsNext(actor: SessionActor, { before, begunAt }: Ending): Promise<boolean> {
  if (lastTaken(before)?.intoQueue !== true) return false;
  // No hook reports the end of an interrupted turn, so an end is that of the next turn, however short that was.
  const hasEnded = (): boolean => (actor.status.evidence().hooks.turnEnd?.at ?? 0) >= begunAt;
  return actor.status.until(() => isRunning(actor) || hasEnded(), NEXT_MS);
}

/** Reports whether a prompt that CBOS sent may have begun another turn since the interrupt. */
function mayBegin(next: Ending, ended: Ending): boolean {
  const last = lastTaken(next.before);
  return last !== undefined && (isQueued(last) || last.id !== lastTaken(ended.before)?.id);
}

function requireRunning(actor: SessionActor): void {
  const isDialogShown = actor.status.evidence().screen?.reading.dialog != null;
  if (isRunning(actor) && !isDialogShown) return;
  const { question } = actor.status.memory();
  if (!isDialogShown && question === null && isAsking(actor.status.memory())) {
    throw new CatalogueError('nothing_running', UNREAD, { hint: IN_TERMINAL.replace('SLUG', actor.slug) });
  }
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
function endWithoutMark(hooks: HookEvidence, begunAt: Millis): 'interrupted' | 'ended' | 'unknown' {
  if (hooks.turnEnd !== null && hooks.turnEnd.at >= begunAt) return 'ended';
  // The hooks report the end of every turn that is not interrupted (2.1.330).
  return isTurnRunning(hooks) ? 'interrupted' : 'unknown';
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
 * above the answer. No hook reports a slash command that Claude Code itself carries out, such as `/compact`.
 */
function runningPrompt(actor: SessionActor): string | null {
  const { hooks, screen } = actor.status.evidence();
  const shown = screen === null ? null : promptAbove(screen.frame);
  const isReported = isTurnRunning(hooks) && shown?.trim().startsWith('/') !== true;
  return isReported ? (hooks.prompt?.text ?? null) : (shown ?? hooks.prompt?.text ?? null);
}

function countMarks(frame: ScreenFrame | undefined): number {
  return frame?.lines.filter((line) => INTERRUPTED.test(line)).length ?? 0;
}

/**
 * Reports whether Claude Code may put the prompt into an empty box.
 * @param draft what the box contained when CBOS typed Esc
 */
const mayRestore = ({ prompt }: Ending, draft: string | null): boolean =>
  // Right after a prompt has been sent, the last frame may still show the prompt in the box.
  prompt !== null && (draft === null || squeeze(draft) === squeeze(prompt));

/**
 * Reports whether the box contains exactly the prompt of the ended turn, either alone or followed by the prompts that
 * were queued after it.
 */
const isRestored = (actor: SessionActor, ending: Ending, draft: string | null): boolean =>
  mayRestore(ending, draft) &&
  !isRunning(actor) &&
  (isPromptInBox(actor, ending.prompt) ||
    leftoversOf(seeDelivery(actor))?.some((record) => statusOf(record) === 'delivered') === true);

const isPromptInBox = (actor: SessionActor, prompt: string | null): boolean =>
  squeeze(draftOf(seePrompt(actor)) ?? '') === squeeze(prompt ?? '');

/** Removes the reappeared prompt from the box. */
async function takeOutRestored(actor: SessionActor, ending: Ending): Promise<void> {
  const seen = seeDelivery(actor);
  // If a person typed the prompt, CBOS has no delivery for it.
  const isTyped = leftoversOf(seen) === null;
  if (isTyped) undoInterrupt(actor, ending);
  const from: TakingOut = isTyped ? takeOutPrompt(ending.prompt ?? '', seen) : { at: 'begin' };
  await carryOn({ actor, journal: openDeliveryJournal(actor) }, advanceTakingOut, from);
}
