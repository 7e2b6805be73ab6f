import { resizeScreen, type ScreenHost } from '../../platform/gnu-screen/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';

/** Claude Code draws within 150 ms of a change of its size (2.1.329); a loaded machine takes longer. */
const DRAWN_MS = 2_000;

/**
 * Makes Claude Code draw all of its window again, by changing the window's size for a moment. Where a person is attached the size is
 * theirs: it is done when they have gone. A hidden terminal that a killed server left is attached for some moments too.
 */
export async function redrawScreen(
  screen: ScreenHost,
  actor: SessionActor,
  size: { cols: number; rows: number },
): Promise<void> {
  const { agent } = actor.record;
  if (agent === null) return;
  if (actor.view().attached === true) {
    actor.redrawLater();
    return;
  }
  try {
    const drawn = nextOutput(actor);
    await resizeScreen(screen, actor.target, { cols: size.cols, rows: size.rows + 1 });
    const hasDrawn = await drawn;
    await resizeScreen(screen, actor.target, size);
    if (!hasDrawn) actor.redrawLater();
  } catch (cause) {
    if (!(cause instanceof CatalogueError) || cause.code !== 'screen_attached') throw cause;
    actor.redrawLater();
  }
}

/** One that is not waited for may find the old size again, and draw nothing. */
function nextOutput({ recording, deps }: SessionActor): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = deps.clock.after(DRAWN_MS, () => done(false));
    const stopListening = recording?.onBytes(() => done(true));
    function done(hasDrawn: boolean): void {
      stop();
      stopListening?.();
      resolve(hasDrawn);
    }
  });
}
