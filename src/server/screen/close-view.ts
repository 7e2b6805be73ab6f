import { viewOn } from '../../core/status/index.ts';
import { pressEscape } from '../../platform/gnu-screen/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { viewText } from '../../text/blocked-words.ts';
import { IN_TERMINAL } from '../../text/delivery-words.ts';
import type { SessionActor } from '../session/actor.ts';

/** How often Esc is pressed at most: `/config` needs two presses, because the first leaves its search (2.1.330). */
const MOST_PRESSES = 3;
/** How long to wait until the view reacts to Esc. It takes about 100 ms, and seconds on a loaded machine. */
const CONFIRM_MS = 8_000;
/** How long a frame must last before Esc is pressed again, because the view may still be closing. */
const SETTLED_MS = 500;
/** How long to wait in a turn until the view is gone. The spinner redraws the frame, so any change means nothing. */
const REDRAWN_MS = 2_000;

/** Reports whether a view covers the prompt. */
export const isViewOpen = (actor: SessionActor): boolean => viewName(actor) !== null;

function viewName({ status }: SessionActor): string | null {
  const { screen } = status.evidence();
  return screen === null ? null : viewOn(screen);
}

/**
 * Closes the view that covers the prompt with Esc, and confirms that the prompt is back. In a turn, Esc would end the
 * turn, which is checked before each press. In a dialog, Esc would answer. If one is open behind the view, Esc is
 * pressed only once, and only while the view is on the screen.
 * @throws CatalogueError nothing_running (a turn has begun), not_adopted, not_confirmed,
 * session_dead (closing the view that Claude Code shows first, the list of conversations of `--resume`, ends it)
 */
export async function closeView(actor: SessionActor): Promise<void> {
  const { status, deps, target } = actor;
  const name = viewName(actor) ?? '';
  const text = (): string => status.evidence().screen?.frame.lines.join('\n') ?? '';
  for (let pressed = 0; pressed < MOST_PRESSES && isViewOpen(actor); pressed++) {
    requireNoTurn(actor, name);
    const isBehind = isAskingBehind(actor);
    if (pressed > 0 && isBehind) break;
    const before = text();
    // The person may just have closed the view, and the Esc would dismiss the dialog behind it.
    const isStillOpen = (): boolean => isViewOpen(actor);
    await pressEscape(deps.screen, target, isStillOpen).catch(async (cause: unknown) => {
      const isGone = cause instanceof CatalogueError && cause.code === 'no_such_screen';
      if (!isGone || !(await status.until(() => actor.isDead(), CONFIRM_MS))) throw cause;
    });
    await status.until(() => text() !== before || actor.isDead(), CONFIRM_MS);
    await status.until(() => isPromptBack(actor) || actor.isDead(), SETTLED_MS);
    if (actor.isDead()) throw endedWith(actor, name);
    if (isBehind && (await status.until(() => !isViewOpen(actor) || actor.isDead(), CONFIRM_MS))) return;
  }
  if (await status.until(() => isPromptBack(actor) || actor.isDead(), CONFIRM_MS)) {
    if (actor.isDead()) throw endedWith(actor, name);
    return;
  }
  throw new CatalogueError('not_confirmed', `CBOS typed Esc, but ${viewText(viewName(actor) ?? name)} still`, {
    hint: IN_TERMINAL.replace('SLUG', actor.slug),
  });
}

/**
 * Closes the view that a person has opened above the prompt's box during a turn, because the view takes the Esc that is
 * to end the turn. If the view has just closed, the Esc ends the turn.
 */
export async function closeViewInTurn({ status, deps, target }: SessionActor): Promise<void> {
  const isOpen = (): boolean => status.evidence().screen?.reading.cover === 'view';
  for (let pressed = 0; pressed < MOST_PRESSES && isOpen(); pressed++) {
    await pressEscape(deps.screen, target);
    await status.until(() => !isOpen(), REDRAWN_MS);
  }
}

const endedWith = ({ slug }: SessionActor, name: string): CatalogueError =>
  new CatalogueError('session_dead', `The view ${JSON.stringify(name)} was closed, and with it Claude Code in ${slug}`);

function isPromptBack({ status }: SessionActor): boolean {
  const reading = status.evidence().screen?.reading;
  return reading !== undefined && reading.cover === null && reading.dialog === null && reading.primary !== null;
}

/** Reports whether a dialog that Claude Code has opened waits behind the view. */
function isAskingBehind({ status }: SessionActor): boolean {
  const { question } = status.memory();
  return question !== null && question.kind !== 'setup' && question.kind !== 'closing';
}

function requireNoTurn({ status, slug }: SessionActor, name: string): void {
  const { primary } = status.memory();
  if (primary !== 'active' && primary !== 'stuck') return;
  throw new CatalogueError('nothing_running', `${viewText(name)} of ${slug}, and a turn is running behind it`, {
    hint: `\`cbos attach ${slug}\` opens the terminal, where Esc closes the view`,
  });
}
