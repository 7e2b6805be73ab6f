import { boxHolds, draftFillingWindow, isEmptyBox } from '../../core/delivery/box.ts';
import { encodePaste, guardText, utf8Length } from '../../core/delivery/paste.ts';
import type { Cover } from '../../core/status/index.ts';
import { isAtLeast, parseClaudeVersion } from '../../platform/claude/index.ts';
import { pressEnter, typeKeys } from '../../platform/gnu-screen/index.ts';
import { markNow } from '../clock.ts';
import type { SessionActor } from '../session/actor.ts';

/** Between the pasted text and Enter, from 2.1.150 on. */
const ENTER_DELAY_MS = 150;
/** The same for versions up to 2.1.50: with less they swallow the Enter. */
const OLD_ENTER_DELAY_MS = 400;
/** How fast Claude Code reads a paste (seen: 20 kB in 0.6 s, 50 kB in 1.9 s); an Enter before the end of it would be part of it. */
const READ_BYTES_PER_MS = 25;
/** A text shows 20 to 100 ms after it was typed. Where it does not show in this time, it is somewhere that CBOS cannot read. */
const SHOWN_MS = 2_500;
/** How much longer to wait for a session that has not read it: a machine that is short of memory stands still for seconds. */
const READ_MS = 5_000;
/** A dialog is drawn 10 to 150 ms after the hook of its tool; a loaded machine takes longer. */
const DIALOG_DRAWN_MS = 1_500;
/**
 * A second ^C on an empty prompt within 1 to 3 s ends Claude Code. So a text must have stood so long before one is typed at all, and
 * between two so much time must pass.
 */
const STOOD_MS = 300;
const BETWEEN_CLEARS_MS = 4_000;
const FOOTER_ROWS = 3;
const AGAIN_TO_EXIT = /again to exit/i;
const CLEARED_MS = 2_000;
/** So long may a turn that has ended be drawn still; what is drawn longer runs, and the status knows by then. */
const STILL_DRAWN_MS = 1_500;
/** Where a view is opened in the same moment, the key closes that instead. */
const CLEAR_TRIES = 2;
const CLEAR_KEY = '\x03';

/**
 * What became of a text: its Enter was typed, with the box showing it or not; a dialog opened before that, or a view; somebody else's
 * letters stand beside it; the session does not read what is typed. The last four have it in the box, unsent, or lost it, or on its way there.
 */
export type TypedText = 'entered' | 'entered_unseen' | 'behind_dialog' | 'behind_view' | 'beside_draft' | 'unread';

export interface PromptText {
  text: string;
  command: boolean;
  force: boolean;
  /** called right before Enter is pressed: from then on nobody knows that it was not */
  onEnter: () => void;
}

/**
 * Types a text and its Enter. Call it within {@link withTurnHeld}.
 * @throws CatalogueError session_dead, not_adopted, screen_unresponsive, no_such_screen
 */
export async function typeIntoPrompt(actor: SessionActor, prompt: PromptText): Promise<TypedText> {
  const { text, command } = prompt;
  const chunked = takesManyPastes(actor.record.claudeVersion);
  const keys = encodePaste(guardText(text, { command }), { chunked });
  await actor.unread.expect();
  await typeKeys(actor.deps.screen, actor.target, keys).catch((cause: unknown) => {
    actor.unread.forget();
    throw cause;
  });
  actor.unread.typed();
  return enterTyped(actor, prompt);
}

/**
 * Presses Enter below a text that was typed. Enter only goes where no dialog is, which it would answer, and where the box holds this text
 * alone: a person may type at the same moment. What CBOS cannot read of the box is no reason to leave Enter out.
 */
async function enterTyped(actor: SessionActor, { text, command, force, onEnter }: PromptText): Promise<TypedText> {
  const { status, deps, target } = actor;
  await readToTheEnd(actor, text);
  let isShown = false;
  if (!force) {
    const holds = (): string => boxHolds(draftOf(actor) ?? '', text);
    const isInView = (): boolean => isKeptFromPrompt(actor, { text, command });
    const isKnown = (): boolean => isInView() || isDialogOpen(actor) || holds() !== 'other';
    await status.until(isKnown, SHOWN_MS);
    if (!isKnown() && actor.unread.isWaiting()) {
      await status.until(isKnown, READ_MS);
      // An Enter that is read in one piece with its text becomes a part of it.
      if (!isKnown() && actor.unread.isWaiting()) return 'unread';
    }
    if (isInView()) return 'behind_view';
    if (isDialogOpen(actor)) return 'behind_dialog';
    if (holds() === 'more') return 'beside_draft';
    isShown = holds() === 'text';
  }
  onEnter();
  await pressEnter(deps.screen, target);
  return isShown ? 'entered' : 'entered_unseen';
}

/**
 * Presses Enter below a text that a former server typed, where the box holds it and nothing else for as long as it takes to read it all. Where a former
 * Enter is only late, this one finds an empty prompt and does nothing; to clear the prompt and type anew would send it twice.
 * @returns whether Enter was pressed
 */
export async function enterStanding(actor: SessionActor, text: string, onEnter: () => void): Promise<boolean> {
  const { status, deps, target } = actor;
  const isAlone = (): boolean => boxHolds(draftOf(actor) ?? '', text) === 'text' && !isDialogOpen(actor);
  if (await status.until(() => !isAlone(), STOOD_MS + utf8Length(text) / READ_BYTES_PER_MS)) return false;
  onEnter();
  await pressEnter(deps.screen, target);
  return true;
}

const readToTheEnd = (actor: SessionActor, text: string): Promise<void> =>
  pause(
    actor,
    (takesManyPastes(actor.record.claudeVersion) ? ENTER_DELAY_MS : OLD_ENTER_DELAY_MS) +
      utf8Length(text) / READ_BYTES_PER_MS,
  );

/**
 * Does something while the session's tools and the end of its turn wait, so that no dialog opens meanwhile and no queued text begins a turn. A
 * tool that was called right before is waited for: it runs by now, or its dialog is drawn.
 */
export async function withTurnHeld<T>(actor: SessionActor, task: () => Promise<T>): Promise<T> {
  const { launchId } = actor.record;
  if (launchId === null || actor.isDead()) return task();
  const release = actor.deps.holdTurn(launchId);
  try {
    await calledToolsShow(actor);
    return await task();
  } finally {
    release();
  }
}

async function calledToolsShow(actor: SessionActor): Promise<void> {
  const { status, deps } = actor;
  const heldAt = markNow(deps.clock);
  const isNear = (): boolean =>
    !isDialogOpen(actor) &&
    status.evidence().hooks.tools.some(({ at }) => at <= heldAt() && at > deps.clock.now() - DIALOG_DRAWN_MS);
  while (isNear()) {
    const newest = Math.max(
      ...status
        .evidence()
        .hooks.tools.filter(({ at }) => at <= heldAt())
        .map(({ at }) => at),
    );
    await status.until(() => !isNear(), Math.max(1, newest + DIALOG_DRAWN_MS - deps.clock.now()));
  }
}

/**
 * Takes out what stands in the box: one ^C does, and ends nothing while a text stands there. Only for what CBOS has typed itself.
 * @param isStill whether that is what stands there
 * @returns `gone`: it went by itself, as when a late Enter sends it
 */
export async function clearBox(actor: SessionActor, isStill: () => boolean): Promise<'cleared' | 'gone' | 'stands'> {
  const { status, deps, slug } = actor;
  for (let attempt = 1; attempt <= CLEAR_TRIES; attempt++) {
    const waitMs = Math.max(STOOD_MS, actor.clearedAt() + BETWEEN_CLEARS_MS - deps.clock.now());
    await status.until(() => !isStill(), waitMs);
    // A turn that has begun meanwhile, as from the queue, is what the key would end; the screen tells of it first.
    const isWorking = (): boolean => status.evidence().screen?.reading.primary === 'active';
    await status.until(() => !isStill() || !isWorking(), STILL_DRAWN_MS);
    const footer = status.evidence().screen?.frame.lines.slice(-FOOTER_ROWS).join('\n') ?? '';
    if (!isStill() || AGAIN_TO_EXIT.test(footer)) return isBoxEmpty(actor) ? 'gone' : 'stands';
    if (isWorking()) return 'stands';
    actor.rememberClearing();
    await typeKeys(deps.screen, actor.target, CLEAR_KEY);
    if (await status.until(() => isBoxEmpty(actor), CLEARED_MS)) return 'cleared';
  }
  deps.log.warn({ slug }, 'a text still stands in the box');
  return 'stands';
}

/** The text that stands in the prompt unsent, null where there is none. */
export function draftOf(actor: SessionActor): string | null {
  const { screen } = actor.status.evidence();
  if (screen?.reading.cover !== 'unknown') return screen?.reading.draft ?? null;
  return screen.reading.draft ?? draftFillingWindow(screen.frame);
}

/** Whether the screen shows the prompt, and nothing in it. */
export function isBoxEmpty(actor: SessionActor): boolean {
  const { screen } = actor.status.evidence();
  return screen !== null && isEmptyBox(screen.reading) && !isDialogOpen(actor);
}

/** What has the keys in the prompt's place, null where nothing does. */
export function coverOf(actor: SessionActor): Cover | null {
  const { screen } = actor.status.evidence();
  const cover = screen?.reading.cover ?? null;
  // A long text fills the window: it is the prompt that is seen, without its mark.
  if (cover === 'unknown' && screen !== null && draftFillingWindow(screen.frame) !== null) return null;
  // Of an adopted session only what was drawn since then is known.
  return cover === 'unknown' && actor.record.launchId === null ? null : cover;
}

/**
 * Whether Enter would not send a text that was typed. A `!` at its beginning brings the shell mode itself; a prompt that is not seen is no
 * reason, for a long text fills the window.
 */
export function isKeptFromPrompt(actor: SessionActor, { text, command }: { text: string; command: boolean }): boolean {
  const cover = coverOf(actor);
  const isMeant = cover === 'shell' && command && text.startsWith('!');
  return cover !== null && cover !== 'unknown' && !isMeant;
}

/** Whether Enter would answer a dialog: one is drawn, or will be. */
export function isDialogOpen(actor: SessionActor): boolean {
  const { primary, question } = actor.status.memory();
  if (actor.status.evidence().screen?.reading.dialog != null) return true;
  return primary === 'waiting' && question?.kind !== 'closing';
}

/** From 2.1.150 on a long paste is wrapped unless it comes in many small ones; older versions lose text that way. */
export function takesManyPastes(version: string | null): boolean {
  const numbers = version === null ? null : parseClaudeVersion(version);
  return numbers !== null && isAtLeast(numbers, '2.1.150');
}

function pause({ deps }: SessionActor, delayMs: number): Promise<void> {
  return new Promise((resolve) => deps.clock.after(delayMs, resolve));
}
