import { Emitter } from '../../emitter/emitter.ts';
import { CatalogueError, Buffer as ScreenText } from '../../protocol/index.ts';
import type { Dispose } from '../sessions.ts';
import type { LiveRecording } from '../stream/live-recording.ts';
import type { FarSourceOptions } from './far-source.ts';
import { noLongerMember } from './far-watches.ts';

/** How many rows are read. The number is small, because the rows are read again and again. */
const ROWS = 200;
/** Clears the screen and the scrollback, so that the rows that follow replace everything. */
const CLEAR = '\u001bc';

/**
 * Shows the screens of a session that cannot be watched as if they were its output: each screen that differs from the
 * previous one clears the terminal and draws itself. The offsets count only what was drawn here.
 * @param options.again calls the function once, when the screen may have changed
 */
export function readScreens(
  options: Pick<FarSourceOptions, 'member' | 'slug' | 'ask' | 'isMember' | 'listener'> & {
    again(read: () => void): Dispose;
  },
): LiveRecording {
  const { member, slug, listener } = options;
  const bytes = new Emitter<[bytes: Uint8Array, offset: number]>();
  let format: 'ansi' | 'text' = 'ansi';
  let drawn = '';
  let end = 0;
  let stop: Dispose = () => undefined;
  let isLeft = false;

  async function read(): Promise<void> {
    if (!options.isMember(member.id)) {
      isLeft = true;
      listener.onEnded(noLongerMember(member));
      return;
    }
    if (listener.isWanted()) {
      const call = { route: 'buffer' as const, params: { slug }, query: { lines: ROWS, format } };
      const answer = await options.ask(member, { kind: 'call', call, ticket: null }).catch((error: unknown) => {
        if (!(error instanceof CatalogueError)) throw error;
        // Screen knows the text of a session without a recording, but not its colours.
        if (error.code === 'no_recording') format = 'text';
        // The last screen stays, as the list keeps the session's row. The row shows that the machine is unreachable.
        return null;
      });
      const screen = ScreenText.safeParse(answer).data;
      if (screen !== undefined && !isLeft) draw(screen);
    }
    if (!isLeft) stop = options.again(() => void read());
  }

  function draw({ buffer, cols, rows }: ScreenText): void {
    const now = `${CLEAR}${buffer.replaceAll('\n', '\r\n')}`;
    if (now === drawn) return;
    drawn = now;
    listener.onResized({ cols, rows });
    const output = Buffer.from(now);
    end += output.length;
    bytes.tell(output, end - output.length);
  }

  return {
    // Whatever a client has of an earlier screen is of no use.
    start: () => end,
    end: () => end,
    epoch: () => 0,
    follow: read,
    availableFrom: async () => end,
    read: async () => {
      throw new CatalogueError('range_not_satisfiable', 'Only the last screen is known');
    },
    snapshot: async () => ({ data: drawn, offset: end }),
    onBytes: bytes.on,
    onReset: () => () => undefined,
    goOn: () => undefined,
    leave: () => {
      isLeft = true;
      stop();
      bytes.clear();
    },
  };
}
