import { setTimeout as delay } from 'node:timers/promises';
import type { FarTerminalRequest } from '../cli/local-host.ts';
import { createKeySender, followTerminal, isLoss } from '../client/index.ts';
import { readTypedKeys } from '../core/machines/index.ts';
import { createEmulator, type Emulator } from '../platform/emulator/index.ts';
import { createPainter } from '../platform/recorder/index.ts';
import { CatalogueError, type TerminalPart } from '../protocol/index.ts';

/** The smallest and largest window that a session can have. */
const [LEAST_COLS, MOST_COLS, LEAST_ROWS, MOST_ROWS] = [20, 500, 5, 200];
/** How often the status line counts on while the connection is lost. */
const COUNT_EVERY_MS = 1_000;
const PASTE_MODE = '\u001b[?2004';

/**
 * Shows the terminal of a session on another machine in this one, until the person leaves it or the session stops. Only
 * drawn cells reach this terminal, so nothing that the other machine sends can affect it.
 * @throws CatalogueError not_allowed_there, no_such_session, no_recording
 */
export async function openFarTerminal(request: FarTerminalRequest): Promise<'left' | 'ended'> {
  const { client, slug, stage, now } = request;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, stage.signal]);
  let broken: unknown = null;
  let lostSince: number | null = null;
  /** why nothing can be typed; null if it can */
  let viewOnly: string | null = null;
  let note: string | null = null;
  let isOpen = false;
  /** the size that the session was last asked to take */
  let asked = '';

  const fail = (error: unknown): void => {
    broken ??= error;
    ending.abort();
  };
  const status = (): string | null => {
    const lost = lostSince === null ? null : `not connected for ${Math.round((now() - lostSince) / 1_000)} s`;
    const said = lost === null ? (note ?? viewOnly) : `${lost}; the screen may be outdated, and keys are dropped`;
    return said === null ? null : ` ${said}   Ctrl-A d leaves`;
  };
  const { write, paint, close } = createFarScreen(stage, { status, isBroken: () => broken !== null, onFault: fail });

  async function draw(part: TerminalPart): Promise<void> {
    const wasLost = lostSince !== null;
    lostSince = null;
    if ((await write(part)) || wasLost) await paint();
    if (wasLost) askForSize();
  }

  /** Asks the session to take this terminal's size, as `screen -x` does. If it cannot, parts of it are cut off. */
  function askForSize(): void {
    const { cols, rows } = sizeWithin(stage.size());
    const wanted = `${cols}x${rows}`;
    if (viewOnly !== null || wanted === asked) return;
    asked = wanted;
    client.call('resize', { params: { slug }, body: { cols, rows } }).catch((error: unknown) => {
      asked = '';
      if (error instanceof CatalogueError) noteFailure(error, null);
      else fail(error);
    });
  }

  /** @param otherwise what to show if the failure does not show that nothing can be typed here */
  function noteFailure(error: CatalogueError, otherwise: string | null): void {
    if (error.code === 'not_allowed_there') viewOnly = 'view only: this machine lacks the right to type there';
    else note = otherwise;
    void paint();
  }

  const sender = createKeySender({
    client,
    slug,
    onFailed: (error) => {
      if (error === null) note = 'too many keys are waiting; the last ones were dropped';
      else if (error.code === 'machine_silent') noteFailure(error, 'the last keys may not have been typed');
      else noteFailure(error, isLoss(error) ? 'the last keys were not typed' : error.message);
      void paint();
    },
    onBroken: fail,
  });
  const stopTyping = stage.onTyped((typed) => {
    const read = readTypedKeys(typed, isOpen);
    isOpen = read.isOpen;
    if (note !== null) {
      note = null;
      void paint();
    }
    if (read.keys !== '' && lostSince === null && viewOnly === null) sender.type(read.keys);
    if (read.isLeaving) ending.abort();
  });
  const stopResizing = stage.onResized(() => {
    askForSize();
    void paint();
  });
  const counting = setInterval(() => {
    if (lostSince !== null) void paint();
  }, COUNT_EVERY_MS);
  askForSize();
  try {
    const outcome = await followTerminal({
      ...{ client, slug, onPart: draw, isLeft: () => signal.aborted },
      pause: (ms) => delay(ms, undefined, { signal }).catch(() => undefined),
      onLost: () => {
        if (lostSince !== null) return;
        lostSince = now();
        asked = '';
        void paint();
      },
    });
    if (broken !== null) throw broken;
    return outcome;
  } finally {
    clearInterval(counting);
    stopTyping();
    stopResizing();
    await close();
  }
}

const sizeWithin = ({ cols, rows }: { cols: number; rows: number }) => ({
  cols: Math.min(Math.max(cols, LEAST_COLS), MOST_COLS),
  rows: Math.min(Math.max(rows, LEAST_ROWS), MOST_ROWS),
});

/** Draws another machine's terminal in this one. */
function createFarScreen(
  stage: FarTerminalRequest['stage'],
  options: { status: () => string | null; isBroken: () => boolean; onFault: (error: unknown) => void },
) {
  const painter = createPainter((text) => stage.write(text));
  let emulator: Emulator | null = null;
  let painting = Promise.resolve();
  let isPasteMode = false;
  return {
    /** @returns whether the screen may have changed */
    write: async ({ data, snapshot, cols, rows }: TerminalPart): Promise<boolean> => {
      if (emulator === null || snapshot) {
        emulator?.dispose();
        emulator = createEmulator({ cols, rows, scrollback: 0 });
      }
      const drawn = emulator.frame();
      const isResized = drawn.cols !== cols || drawn.rows !== rows;
      if (isResized) emulator.resize(cols, rows);
      if (data !== '') {
        emulator.write(Buffer.from(data));
        await emulator.flush();
      }
      return data !== '' || snapshot || isResized;
    },
    paint: (): Promise<void> => {
      painting = painting.then(async () => {
        if (emulator === null || options.isBroken()) return;
        await painter.paint(emulator, stage.size(), options.status());
        if (emulator.isBracketedPaste() === isPasteMode) return;
        isPasteMode = !isPasteMode;
        await stage.write(`${PASTE_MODE}${isPasteMode ? 'h' : 'l'}`);
      });
      painting.catch(options.onFault);
      return painting;
    },
    close: async (): Promise<void> => {
      await painting.catch(() => undefined);
      emulator?.dispose();
    },
  };
}
