import type { AnswerPlan } from '../../core/answer/answer.ts';
import { type AnswerStep, answerSteps } from '../../core/answer/answer-keys.ts';
import { type DialogSeen, watchForEnd } from '../../core/answer/dialog-gone.ts';
import { type DialogView, showsDialog, standsInField } from '../../core/answer/dialog-view.ts';
import { textsInBox } from '../../core/delivery/box.ts';
import { encodePaste, guardText } from '../../core/delivery/paste.ts';
import { coverOf, draftOf } from '../../core/delivery/seen.ts';
import { asDrawn, asksFirst } from '../../core/status/index.ts';
import { isAtLeast, parseClaudeVersion } from '../../platform/claude/index.ts';
import { pressEnter, pressEscape, pressShiftTab, typeKeys } from '../../platform/gnu-screen/index.ts';
import { type Answer, CatalogueError, type Question } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { noteEnding } from '../session/delivery-journal.ts';
import { readAnswer, refusal, shownQuestion } from '../session/open-question.ts';
import { seePrompt, takesManyPastes } from '../session/see-delivery.ts';
import { isViewOpen } from './close-view.ts';

/**
 * How long to wait for a dialog to be drawn after its hook has reported it. Drawing takes 10 to 150 ms, and longer on a
 * loaded machine.
 */
const DRAWN_MS = 3_000;
/**
 * How long a dialog must be on the screen before CBOS types into it. Keypresses during about the first 150 ms may be
 * lost. The marker may also jump back to its initial option, because version 2.1.329 redraws the dialog once its hooks
 * have run.
 */
const READY_MS = 500;
/** The same for a dialog in which each answer has its own key. It ignores these keys for 600 to 700 ms (2.1.330). */
const KEYS_READY_MS = 1_500;
/** How long to wait for a dialog to stop changing before giving up. */
const STOOD_MS = 10_000;
/** How long the marker must stay on an option before Enter is pressed, because a redraw may move the marker back. */
const MARKED_MS = 200;
/** How long to wait for a keypress to show on the screen, which normally takes 20 to 100 ms (2.1.329). */
const STEP_MS = 2_000;
/**
 * How many times to try to move the marker or tick a box if the screen does not show the effect. A key that decides
 * something is never typed twice.
 */
const TRIES = 3;
/**
 * The height of a dialog in version 2.1.150 without the text in its field: four options with descriptions, and the last
 * lines above the options.
 */
const DIALOG_ROWS = 20;
const FIELD_INDENT = 10;
/**
 * How long to wait between a paste and Enter. Versions up to 2.1.50 ignore an Enter that comes sooner, even if the text
 * is already shown.
 */
const OLD_ENTER_MS = 400;
/** The keys that would do something else, such as send a prompt, if the dialog had just disappeared. */
const GUARDED: Readonly<Record<string, typeof pressEnter>> = {
  '\r': pressEnter,
  '\x1b': pressEscape,
  '\x1b[Z': pressShiftTab,
};
/** A key that would end up in the prompt if the dialog had just disappeared. */
const DIGIT = /^\d$/;
/** How long to watch the prompt for a stray digit, which appears there as quickly as any other keypress. */
const LATE_KEY_MS = 100;
/**
 * How long to wait for a dialog to disappear after the last keypress. The dialog disappears after 100 ms, and the
 * status changes after about 300 ms.
 */
const CLOSED_MS = 4_000;

/**
 * Types the answer to the open dialog. Resolves when Claude Code has accepted the answer.
 * @param request the answer; its text must already be safe to type into a field
 * @throws CatalogueError no_question, stale_question, question_behind, no_such_option, not_confirmed
 */
export async function answerByKeys(actor: SessionActor, id: string, request: Answer): Promise<void> {
  const question = await completeQuestion(actor, id);
  const plan = readAnswer(actor, question, request);
  if (plan.kind === 'prompt' || plan.kind === 'form') throw new CatalogueError('stale_question');
  requireRoom(actor, question, plan);
  const dialog = new OpenDialog(actor, question);
  const steps = answerSteps(question, plan, dialog.view());
  for (const [index, step] of steps.entries()) {
    if (index === steps.length - 1) await dialog.finish(step);
    else await dialog.take(step);
  }
}

/**
 * Checks that the text fits into the dialog. In versions up to 2.1.150, a dialog grows with the text in its field. If a
 * dialog is taller than the window, CBOS cannot see whether the text is in the field.
 * @throws CatalogueError no_such_option
 */
function requireRoom({ record, status }: SessionActor, question: Question, plan: AnswerPlan): void {
  const frame = status.evidence().screen?.frame;
  const version = parseClaudeVersion(record.claudeVersion ?? '');
  if (plan.kind !== 'select' || frame === undefined || version === null || isAtLeast(version, '2.1.151')) return;
  const room = Math.max(1, frame.rows - DIALOG_ROWS);
  const texts = [plan.remark, ...plan.parts.map(({ text }) => text)].flatMap((text) => text ?? []);
  if (texts.every((text) => rowsOf(text, frame.cols - FIELD_INDENT) <= room)) return;
  throw refusal(question, `Claude Code ${record.claudeVersion} accepts at most ${room} lines of text here`);
}

function rowsOf(text: string, cols: number): number {
  return text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / cols)), 0);
}

/**
 * Returns the question with its options, which appear on the screen a moment after a hook has reported the question.
 * Claude Code draws a dialog in several writes, and a frame between two writes shows only some of the options.
 * Therefore the options are read only when the dialog has stopped changing.
 */
async function completeQuestion(actor: SessionActor, id: string): Promise<Question> {
  const { status } = actor;
  const isGone = (): boolean => !asksFirst(status.memory(), id);
  const isDrawn = (): boolean =>
    (status.memory().question?.options.length ?? 0) > 0 && status.evidence().screen?.reading.dialog != null;
  const drawn = (await status.until(() => isGone() || isDrawn(), DRAWN_MS)) && (await hasStood(actor, isGone));
  const question = shownQuestion(actor, id);
  const dialog = status.evidence().screen?.reading.dialog;
  if (drawn && dialog != null) return status.memory().wait === null ? question : asDrawn(question, dialog);
  throw new CatalogueError('no_such_option', 'CBOS cannot read the open dialog on the screen', {
    hint: isViewOpen(actor)
      ? `A view covers it; \`cbos interrupt ${actor.slug}\` closes the view`
      : `\`cbos attach ${actor.slug}\` opens the terminal, where you can answer it`,
  });
}

/**
 * Waits until the dialog has remained unchanged for long enough to be complete and to accept keypresses.
 * @returns false if the dialog keeps changing
 */
async function hasStood({ status, deps }: SessionActor, isGone: () => boolean): Promise<boolean> {
  const deadline = deps.clock.now() + STOOD_MS;
  for (;;) {
    const now = deps.clock.now();
    const { screen } = status.evidence();
    const readyMs = screen?.reading.dialog?.keys === undefined ? READY_MS : KEYS_READY_MS;
    const waitMs = (screen?.readingSince ?? 0) + readyMs - now;
    if (waitMs <= 0 || isGone()) return true;
    if (now >= deadline) return false;
    await status.until(isGone, waitMs);
  }
}

/** A dialog that is being answered. Before each keypress, CBOS checks that the dialog is still open. */
class OpenDialog {
  readonly #actor: SessionActor;
  readonly #question: Question;
  readonly #opened: DialogView;
  /** whether anything has been typed yet, which error messages mention */
  #typed = false;

  constructor(actor: SessionActor, question: Question) {
    this.#actor = actor;
    this.#question = question;
    this.#opened = this.view();
  }

  view(): DialogView {
    const { screen } = this.#actor.status.evidence();
    if (screen === null) throw new Error('a drawn question is on the screen');
    return { frame: screen.frame, dialog: screen.reading.dialog };
  }

  #seen(): DialogSeen {
    const memory = this.#actor.status.memory();
    const { id } = this.#question;
    const questionId = asksFirst(memory, id) ? id : (memory.question?.id ?? null);
    return { view: this.view(), cover: coverOf(seePrompt(this.#actor)), questionId };
  }

  /** Types a step that is not the last one, and waits until the screen shows it. */
  async take(step: AnswerStep): Promise<void> {
    const { status } = this.#actor;
    for (let attempt = 1; ; attempt++) {
      this.#requireOpen(step);
      const before = this.view();
      if (step.isRepeatable && step.isTaken(before, before)) return;
      await this.#press(step, before);
      const isDone = (): boolean => step.isTaken(this.view(), before);
      const isShown = await status.until(isDone, STEP_MS);
      if (isShown && !(step.kind === 'mark' && (await status.until(() => !isDone(), MARKED_MS)))) return;
      if (step.isRepeatable && attempt < TRIES) continue;
      this.#requireOpen(step);
      throw this.#unconfirmed('The dialog does not show what CBOS typed, so CBOS left the dialog open');
    }
  }

  /** Types the last step, and waits until the dialog is gone or has been replaced by another one. */
  async finish(step: AnswerStep): Promise<void> {
    const { status } = this.#actor;
    this.#requireOpen(step);
    const before = this.#seen();
    const isEnd = watchForEnd(this.#question, before);
    noteEnding(this.#actor, 'answer');
    await this.#press(step, before.view);
    if (!(await status.until(() => isEnd(this.#seen()), CLOSED_MS)))
      throw this.#unconfirmed('CBOS typed the answer, but the dialog is still open');
    if (step.kind !== 'digit') return;
    const isLate = (): boolean =>
      textsInBox(draftOf(seePrompt(this.#actor)) ?? '', [...(this.#actor.record.answerKey ?? '')]) !== null;
    if (await status.until(isLate, LATE_KEY_MS)) {
      throw new CatalogueError('stale_question', 'Somebody answered at the terminal first');
    }
  }

  async #press(step: AnswerStep, view: DialogView): Promise<void> {
    const { deps, target, status } = this.#actor;
    const press = step.press(view);
    if (press === null) throw this.#impossible(step, view);
    const isStillOpen = (): boolean => {
      this.#requireOpen(step);
      return true;
    };
    this.#typed = true;
    if (step.written !== null && !this.#isNew()) await status.until(() => false, OLD_ENTER_MS);
    if ('paste' in press) {
      await typeKeys(deps.screen, target, this.#fieldKeys(press.paste));
      return;
    }
    const guarded = GUARDED[press.keys];
    if (guarded !== undefined) {
      await guarded(deps.screen, target, isStillOpen);
      return;
    }
    if (DIGIT.test(press.keys)) this.#actor.promptKeys.rememberAnswerKey(press.keys);
    await typeKeys(deps.screen, target, press.keys);
  }

  /** Reports whether the fields in this version's dialogs accept pastes. */
  #isNew(): boolean {
    return takesManyPastes(this.#actor.record.claudeVersion);
  }

  /**
   * Encodes text for a dialog's field. Each newline becomes a separate keypress, Ctrl+J, because a pasted newline
   * reaches the model as a carriage return (2.1.329). In version 2.0.77, a field does not accept Enter after a paste,
   * so the text is typed character by character.
   */
  #fieldKeys(text: string): string {
    const isNew = this.#isNew();
    const lines = guardText(text, { command: true }).replaceAll('\t', '    ').split('\n');
    return lines.map((line) => (isNew && line !== '' ? encodePaste(line, { chunked: true }) : line)).join('\n');
  }

  /** @throws CatalogueError stale_question, no_question */
  #requireOpen(step: AnswerStep): void {
    const view = this.view();
    // A text of several lines may look like anything, even like another dialog. Therefore finding the text in the field
    // is better evidence than what the dialog looks like.
    if (step.written !== null && standsInField(view.frame, step.written)) return;
    const memory = this.#actor.status.memory();
    const { question } = memory;
    const isSame = asksFirst(memory, this.#question.id) || (this.#question.tool === null && this.#typed);
    if (isSame && showsDialog(this.#question, this.#opened, view)) return;
    throw new CatalogueError(
      question === null ? 'no_question' : 'stale_question',
      `The dialog is no longer open${this.#typed ? '; the rest of the answer was not typed' : ''}`,
    );
  }

  #impossible(step: AnswerStep, view: DialogView): CatalogueError {
    switch (step.kind) {
      case 'key':
        if (step.isShown?.(view) === false)
          return new CatalogueError('no_such_option', 'The dialog has changed, and no longer shows this option', {
            hint: `\`cbos show ${this.#actor.slug}\` lists the options that it shows now; nothing was typed`,
          });
        return new CatalogueError('no_such_option', 'Claude Code accepts this option only in a taller window', {
          hint: `\`cbos attach ${this.#actor.slug}\` opens the terminal in your window`,
        });
      case 'amend':
        return refusal(this.#question, 'This option does not accept a reply');
      case 'enter':
        return this.#unconfirmed('The dialog does not show the text that CBOS typed, so CBOS left the dialog open');
      case 'submit':
        return this.#unconfirmed(
          'The summary in the dialog differs from the answer, so CBOS did not submit the answer',
        );
      default:
        return refusal(this.#question, 'The dialog does not show this option');
    }
  }

  #unconfirmed(message: string): CatalogueError {
    return new CatalogueError('not_confirmed', message, {
      hint: `\`cbos attach ${this.#actor.slug}\` shows the dialog; nothing was typed twice`,
    });
  }
}
