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
  const painter = createPainter((text) => stage.write(text));
  let emulator: Emulator | null = null;
  let broken: unknown = null;
  let painting = Promise.resolve();
  let lostSince: number | null = null;
  /** why nothing can be typed; null if it can */
  let viewOnly: string | null = null;
  let note: string | null = null;
  let isPasteMode = false;
  let isOpen = false;
  /** the size that the session was last asked to take */
  let asked = '';

  const fail = (error: unknown): void => {
    broken ??= error;
    ending.abort();
  };
  const status = (): string | null => {
    if (lostSince !== null) {
      const seconds = Math.round((now() - lostSince) / 1_000);
      return ` not connected for ${seconds} s; the screen may be outdated, and keys are dropped   Ctrl-A d leaves`;
    }
    const said = note ?? viewOnly;
    return said === null ? null : ` ${said}   Ctrl-A d leaves`;
  };
  const paint = (): Promise<void> => {
    painting = painting.then(async () => {
      if (emulator === null || broken !== null) return;
      await painter.paint(emulator, stage.size(), status());
      if (emulator.isBracketedPaste() === isPasteMode) return;
      isPasteMode = !isPasteMode;
      await stage.write(`${PASTE_MODE}${isPasteMode ? 'h' : 'l'}`);
    });
    painting.catch(fail);
    return painting;
  };
  const pause = (ms: number): Promise<void> => delay(ms, undefined, { signal }).catch(() => undefined);

  async function draw({ data, snapshot, cols, rows }: TerminalPart): Promise<void> {
    if (emulator === null || snapshot) {
      emulator?.dispose();
      emulator = createEmulator({ cols, rows, scrollback: 0 });
    }
    const wasLost = lostSince !== null;
    lostSince = null;
    const drawn = emulator.frame();
    const isResized = drawn.cols !== cols || drawn.rows !== rows;
    if (isResized) emulator.resize(cols, rows);
    if (data === '' && !snapshot && !wasLost && !isResized) return;
    emulator.write(Buffer.from(data));
    await emulator.flush();
    await paint();
    if (wasLost) askForSize();
  }

  /** Asks the session to take this terminal's size, as `screen -x` does. If it cannot, parts of it are cut off. */
  function askForSize(): void {
    const size = stage.size();
    const cols = Math.min(Math.max(size.cols, LEAST_COLS), MOST_COLS);
    const rows = Math.min(Math.max(size.rows, LEAST_ROWS), MOST_ROWS);
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
      ...{ client, slug, pause, isLeft: () => signal.aborted },
      onPart: draw,
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
    await painting.catch(() => undefined);
    (emulator as Emulator | null)?.dispose();
  }
}
