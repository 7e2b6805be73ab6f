import { EXIT, matchesSelector, type Session, type SessionSelector } from '../protocol/index.ts';
import type { CliContext } from './context.ts';
import { followStream } from './follow-stream.ts';
import { readerOf } from './list-reader.ts';
import type { Reader } from './output/session-table.ts';

/** How often the times in the list are redrawn while nothing else changes. */
const TICK_MS = 1_000;

interface WatchedList {
  /** which sessions to show */
  selector: SessionSelector;
  /** whether to show the resources that sessions use */
  resources: boolean;
  lines(sessions: readonly Session[], reader: Reader, width: number | null): readonly string[];
}

/** Draws the list, and redraws it in place whenever a session changes, until the user presses Ctrl-C. */
export async function watchList(context: CliContext, list: WatchedList): Promise<number> {
  const { io } = context;
  let shown: readonly Session[] = [];
  let reader: Reader | null = null;
  let drawn = 0;

  const draw = (): void => {
    if (reader === null) return;
    const { columns, rows = Number.POSITIVE_INFINITY } = io.stdout;
    const lines = list.lines(shown, { ...reader, now: io.now() }, columns ?? null);
    // The cursor is on the last row of the list.
    const fitting = lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more`];
    io.stdout.write(`${drawn === 0 ? '' : `\u001b[${drawn}A`}\r\u001b[J${fitting.map((line) => `${line}\n`).join('')}`);
    drawn = fitting.length;
  };

  const timer = setInterval(draw, TICK_MS);
  try {
    return await followStream(context, { interruptedCode: EXIT.done }, (ending) => ({
      onFrame(_, view) {
        shown = [...view().values()].filter((session) => matchesSelector(session, list.selector));
        // A session may switch branches while it works, so read its branch again after every change of the session.
        readerOf(context, shown, list).then((now) => {
          reader = now;
          draw();
        }, ending.fail);
      },
    }));
  } finally {
    clearInterval(timer);
  }
}
