import { viewOn } from '../../core/status/index.ts';
import { pressEscape } from '../../platform/gnu-screen/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { viewText } from '../../text/blocked-words.ts';
import type { SessionActor } from '../session/actor.ts';

/** How often Esc is pressed at most: `/config` needs two presses, because the first leaves its search (2.1.330). */
const MOST_PRESSES = 3;
/** How long to wait until the view reacts to Esc. It takes about 100 ms, and seconds on a loaded machine. */
const CONFIRM_MS = 8_000;
/** How long a frame must last before Esc is pressed again, because the view may still be closing. */
const SETTLED_MS = 500;

/** Reports whether a view covers the prompt. */
export const isViewOpen = (actor: SessionActor): boolean => viewName(actor) !== null;

function viewName({ status }: SessionActor): string | null {
  const { screen } = status.evidence();
  return screen === null ? null : viewOn(screen);
}

/**
 * Closes the view that covers the prompt with Esc, and confirms that the prompt is back. In a turn, Esc would end the
 * turn, and in a dialog it would answer, so both are checked before each press.
 * @throws CatalogueError nothing_running (a question is open, or a turn has begun), not_adopted, not_confirmed
 */
export async function closeView(actor: SessionActor): Promise<void> {
  const { status, deps, target } = actor;
  const name = viewName(actor) ?? '';
  const text = (): string => status.evidence().screen?.frame.lines.join('\n') ?? '';
  for (let pressed = 0; pressed < MOST_PRESSES && isViewOpen(actor); pressed++) {
    requireOnlyView(actor, name);
    const before = text();
    await pressEscape(deps.screen, target);
    await status.until(() => text() !== before, CONFIRM_MS);
    await status.until(() => isPromptBack(actor), SETTLED_MS);
  }
  if (await status.until(() => isPromptBack(actor), CONFIRM_MS)) return;
  throw new CatalogueError('not_confirmed', `CBOS typed Esc, but ${viewText(viewName(actor) ?? name)} still`);
}

function isPromptBack({ status }: SessionActor): boolean {
  const reading = status.evidence().screen?.reading;
  return reading !== undefined && reading.cover === null && reading.dialog === null && reading.primary !== null;
}

function requireOnlyView({ status, slug }: SessionActor, name: string): void {
  const { primary, question } = status.memory();
  const isAsking = question !== null && question.kind !== 'setup' && question.kind !== 'closing';
  if (!isAsking && primary !== 'active' && primary !== 'stuck') return;
  const why = isAsking ? 'a question is open behind it' : 'a turn is running behind it';
  throw new CatalogueError('nothing_running', `${viewText(name)} of ${slug}, and ${why}`, {
    hint: `\`cbos attach ${slug}\` opens the terminal, where Esc closes the view`,
  });
}
