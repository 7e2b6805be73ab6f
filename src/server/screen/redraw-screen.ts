import { resizeScreen, type ScreenHost, type ScreenTarget } from '../../platform/gnu-screen/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError, type Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { SessionRecording } from '../session/session-recording.ts';

/** A session whose screen can be redrawn. */
interface Redrawn {
  readonly record: Pick<SessionRecord, 'agent'>;
  readonly target: ScreenTarget;
  readonly recording: Pick<SessionRecording, 'onBytes'> | null;
  readonly deps: { readonly clock: Pick<Clock, 'after'> };
  view(): Pick<Session, 'attached'>;
  redrawLater(): void;
}

/**
 * How long to wait for a redraw. Claude Code redraws within 150 ms after its window is resized (2.1.329), but takes
 * longer on a loaded machine.
 */
const DRAWN_MS = 2_000;
/**
 * How long the output must pause before a redraw counts as finished. A redraw arrives in several writes, and the first
 * of them may be the end of an earlier redraw.
 */
const QUIET_MS = 150;

/**
 * Makes Claude Code redraw its whole window by changing the window's size for a moment. While a person is attached,
 * that person's terminal determines the size, so the redraw waits until the person detaches. A hidden terminal that a
 * killed server left behind also remains attached for a moment.
 */
export async function redrawScreen(
  screen: ScreenHost,
  session: Redrawn,
  size: { cols: number; rows: number },
): Promise<void> {
  const { agent } = session.record;
  if (agent === null) return;
  if (session.view().attached === true) {
    session.redrawLater();
    return;
  }
  try {
    const isLargerDrawn = drawn(session);
    await resizeScreen(screen, session.target, { cols: size.cols, rows: size.rows + 1 });
    const hasSeenLarger = await isLargerDrawn;
    const isDrawn = drawn(session);
    await resizeScreen(screen, session.target, size);
    // CBOS types nothing until it knows what the screen shows, so the redraw is tried again later.
    if (!(await isDrawn) || !hasSeenLarger) session.redrawLater();
  } catch (cause) {
    if (!(cause instanceof CatalogueError) || cause.code !== 'screen_attached') throw cause;
    session.redrawLater();
  }
}

/**
 * Waits until a redraw has finished. If the old size were restored before that, Claude Code might not notice any change
 * and might draw nothing.
 * @returns false if nothing was drawn at all
 */
function drawn({ recording, deps }: Redrawn): Promise<boolean> {
  return new Promise((resolve) => {
    let hasBegun = false;
    let stopQuiet: () => void = () => undefined;
    // A working session never stops drawing, but after this time, it has certainly drawn its whole screen.
    const stopWaiting = deps.clock.after(DRAWN_MS, done);
    const stopListening = recording?.onBytes(() => {
      hasBegun = true;
      stopQuiet();
      stopQuiet = deps.clock.after(QUIET_MS, done);
    });
    function done(): void {
      stopQuiet();
      stopWaiting();
      stopListening?.();
      resolve(hasBegun);
    }
  });
}
