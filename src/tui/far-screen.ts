import type { Client } from '../client/index.ts';
import { CatalogueError, isCurrent, type SeenSession } from '../protocol/index.ts';
import { createSessionScreen, type SessionScreen, type Viewport } from './terminal/session-screen.ts';

/** How many rows are read from the other machine. The number is small, because the rows are read again and again. */
const ROWS = 200;

/**
 * The screen of a session on another machine. While the session is selected, its screen is read from that machine at
 * intervals.
 */
export interface FarScreen {
  /**
   * Reads the screen if the session's row has changed, unless the machine is unreachable or the previous read is still
   * in progress.
   * @param isAgain whether to read the screen even if the session's row has not changed; a screen changes more often
   * than the row
   */
  read(session: SeenSession, isAgain: boolean): void;
  /** the screen's content, or null if nothing has been read yet */
  rows(viewport: Viewport): ReturnType<SessionScreen['rows']> | null;
  dispose(): void;
}

export function createFarScreen(options: {
  client: Pick<Client, 'call'>;
  slug: string;
  size: { cols: number; rows: number };
  onChanged(): void;
  run(work: () => Promise<void>): void;
}): FarScreen {
  const { client, slug, onChanged, run } = options;
  const screen = createSessionScreen(options.size);
  let last: string | null = null;
  let row: SeenSession | null = null;
  let isReading = false;
  let isDisposed = false;

  async function read(): Promise<void> {
    const query = { lines: ROWS, format: 'ansi' as const };
    const { buffer, cols, rows } = await client.call('buffer', { params: { slug }, query });
    if (isDisposed || buffer === last) return;
    last = buffer;
    screen.resize(cols, rows);
    screen.write(buffer.replaceAll('\n', '\r\n'), true, onChanged);
  }

  return {
    read: (session, isAgain) => {
      if (isReading || !isCurrent(session) || (session === row && !isAgain)) return;
      row = session;
      isReading = true;
      run(async () => {
        try {
          await read();
        } catch (error) {
          // Keep the last screen, just as the list keeps the row. The row shows that the machine is unreachable.
          if (!(error instanceof CatalogueError)) throw error;
        } finally {
          isReading = false;
        }
      });
    },
    rows: (viewport) => (last === null ? null : { ...screen.rows(viewport), cursor: null }),
    dispose: () => {
      isDisposed = true;
      screen.dispose();
    },
  };
}
