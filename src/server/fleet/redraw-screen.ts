import { resizeScreen, type ScreenHost } from '../../platform/gnu-screen/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';

/**
 * Makes Claude Code draw all of its window again, by changing the window's size for a moment. Where a person is attached the size is
 * theirs, and their next keys do it.
 */
export async function redrawScreen(
  screen: ScreenHost,
  actor: SessionActor,
  size: { cols: number; rows: number },
): Promise<void> {
  const { agent } = actor.record;
  if (agent === null || actor.view().attached === true) return;
  try {
    await resizeScreen(screen, actor.target, { cols: size.cols, rows: size.rows + 1 });
    await resizeScreen(screen, actor.target, size);
  } catch (cause) {
    if (!(cause instanceof CatalogueError) || cause.code !== 'screen_attached') throw cause;
  }
}
