import { ScreenReader } from '../../core/recording/index.ts';
import { readableLines, type ScreenRow } from '../../core/search/index.ts';
import { createEmulator, type Emulator } from '../emulator/index.ts';
import { readRange, readStart } from '../recorder/index.ts';
import type { IndexedRecording } from '../sqlite/indexed-recording.ts';
import type { ShownLines } from '../sqlite/search-entries.ts';
import type { SearchStore } from '../sqlite/search-store.ts';
import { TimedOutput, type TimedPiece } from './timed-output.ts';

/**
 * How much is read and drawn at once, which amounts to about 10 ms of work. A search that is waiting runs before the
 * next slice.
 */
const SLICE_BYTES = 131_072;
/**
 * How long a line must be shown to count as read. A line that changes sooner was still being drawn, or belongs to a
 * spinner.
 */
export const SETTLED_MS = 1_000;
/**
 * How far before the stored position drawing starts again. Claude Code redraws its window more often than once in this
 * many bytes.
 */
const WARM_UP_BYTES = 2_000_000;
/** A row that scrolls off the screen is read immediately, so there is hardly any need to keep rows. */
const SCROLLBACK_LINES = 4;
/**
 * The size of an entry. An entry is what a search shows and jumps to, so it should be about a page of text that
 * appeared within seconds.
 */
const ENTRY_CHARACTERS = 2_000;
const ENTRY_MS = 5_000;

/**
 * `more`: there is more work to do now. `unsettled`: check again once the screen has settled. `done`: there is nothing
 * to do until the recording grows. `replaced`: the name now belongs to another file.
 */
export type SliceOutcome = 'more' | 'unsettled' | 'done' | 'replaced';

/**
 * Reads through a recording and indexes what its screen showed, each line once. Reading continues from the position
 * stored in the index.
 */
export class RecordingIndexer {
  recording: IndexedRecording;
  readonly #store: SearchStore;
  #drawing: { emulator: Emulator; output: TimedOutput } | null = null;
  #alternate = new ScreenReader();
  #wasAlternate = false;
  #scrolled: ScreenRow[] = [];
  /** the lines that were on the screen when it last settled */
  #settled = new Set<string>();
  /** whether nothing has been drawn since the screen settled */
  #isSettled = false;
  #lastAt = 0;
  #found: ShownLines[] = [];
  #end = 0;

  constructor(store: SearchStore, recording: IndexedRecording) {
    this.#store = store;
    this.recording = recording;
  }

  /** Returns how many bytes still have to be indexed. */
  pendingBytes(): number {
    return Math.max(0, this.#end - this.recording.position);
  }

  /** Records that the same recording now has a different path. */
  movedTo({ typescript, timing }: IndexedRecording): void {
    this.recording = { ...this.recording, typescript, timing };
  }

  /** Discards the drawn screen to free its memory. The screen is drawn again when it is needed. */
  rest(): void {
    this.#drawing?.emulator.dispose();
    this.#drawing = null;
  }

  /**
   * @param now the current time, in Unix milliseconds
   * @throws CatalogueError no_recording
   */
  async slice(now: number): Promise<SliceOutcome> {
    const { length, end, changedAt: told } = await readStart(this.recording.typescript);
    // A time in the future means that the clock was set back after the last write. That write is not recent, because a
    // recent one would have a time from the clock as it is now.
    const changedAt = told > now ? now - SETTLED_MS : told;
    if (length < this.recording.position) return 'replaced';
    // The last line is by `script`, so the terminal has not shown it.
    this.#end = end;
    this.#drawing ??= await this.#drawAgain();
    const { emulator, output } = this.#drawing;
    const { pieces, after } = await output.read(this.recording, {
      most: Math.min(SLICE_BYTES, this.pendingBytes()),
      now,
      changedAt,
    });
    const hasSettled = (pieces[0]?.at ?? now) - Math.max(this.#lastAt, pieces.length > 0 ? 0 : changedAt) >= SETTLED_MS;
    if (!this.#isSettled && hasSettled) this.#settle(emulator, this.#lastAt || changedAt, this.recording.position);
    for (const [index, piece] of pieces.entries()) await this.#draw(emulator, piece, pieces[index + 1]);
    await emulator.flush();
    this.#lastAt = pieces.at(-1)?.at ?? this.#lastAt;
    this.#commit({ ...this.recording, ...after }, pieces);
    if (pieces.length > 0 && (this.pendingBytes() > 0 || now - changedAt >= SETTLED_MS)) return 'more';
    return this.#isSettled && this.pendingBytes() === 0 ? 'done' : 'unsettled';
  }

  async #draw(emulator: Emulator, piece: TimedPiece, next: TimedPiece | undefined): Promise<void> {
    if (piece.kind === 'resize') {
      await emulator.flush();
      emulator.resize(piece.cols, piece.rows);
      this.recording = { ...this.recording, cols: piece.cols, rows: piece.rows };
      return;
    }
    const { at, bytes, offset } = piece;
    emulator.write(bytes, () => {
      this.#isSettled = false;
      this.#look(emulator, at, offset);
      if (next !== undefined && next.at - at >= SETTLED_MS) this.#settle(emulator, at, offset + bytes.length);
    });
  }

  /** Collects the lines that have left the screen. The bytes before `offset` show these lines. */
  #look(emulator: Emulator, at: number, offset: number): void {
    if (this.#scrolled.length > 0) this.#find(at, offset, readableLines(this.#scrolled.splice(0)));
    const isAlternate = emulator.isAlternate();
    const gone = isAlternate
      ? this.#alternate.see(emulator.windowRows().map(({ text }) => text))
      : this.#wasAlternate
        ? this.#alternate.leave()
        : [];
    this.#wasAlternate = isAlternate;
    if (gone.length > 0) this.#find(at, offset, readableLines(gone.map((text) => ({ text, isWrapped: false }))));
  }

  /** Collects the lines that have been on the screen long enough to have been read. */
  #settle(emulator: Emulator, at: number, offset: number): void {
    this.#isSettled = true;
    const lines = readableLines(emulator.windowRows());
    this.#find(
      at,
      offset,
      lines.filter((line) => !this.#settled.has(line)),
    );
    this.#settled = new Set(lines);
  }

  #find(at: number, offset: number, lines: readonly string[]): void {
    let open = this.#found.at(-1);
    if (open !== undefined && at - open.at > ENTRY_MS) open = undefined;
    let characters = open === undefined ? 0 : open.lines.reduce((sum, line) => sum + line.length, 0);
    for (const line of lines) {
      if (open === undefined || characters > ENTRY_CHARACTERS) {
        open = { at, offset, lines: [] };
        characters = 0;
        this.#found.push(open);
      }
      open.lines.push(line);
      characters += line.length;
    }
  }

  /**
   * Stores the lines that have been found together with the position, so that a crash leaves either both or neither
   * behind.
   */
  #commit(after: IndexedRecording, pieces: readonly TimedPiece[]): void {
    const { cols, rows } = this.recording;
    const found = this.#found.splice(0);
    const hasMoved =
      after.position !== this.recording.position || after.timingPosition !== this.recording.timingPosition;
    this.recording = { ...after, cols, rows };
    if (!hasMoved && found.length === 0) return;
    this.#store.together(() => {
      for (const shown of found) this.#store.addShown(this.recording, shown);
      for (const piece of pieces) {
        if (piece.kind === 'output') this.#store.addMark(this.recording, piece.at, piece.offset + piece.bytes.length);
      }
      this.#store.saveRecording(this.recording);
    });
  }

  /**
   * Draws the screen as it is at the stored position. The lines on it are already in the index, so they are not
   * collected.
   */
  async #drawAgain(): Promise<{ emulator: Emulator; output: TimedOutput }> {
    const { typescript, position, cols, rows } = this.recording;
    const { start } = await readStart(typescript);
    const emulator = createEmulator({ cols, rows, scrollback: SCROLLBACK_LINES });
    const from = Math.max(start, position - WARM_UP_BYTES);
    if (from < position) emulator.write(await readRange(typescript, from, position));
    await emulator.flush();
    emulator.onScrolledOff((row) => this.#scrolled.push(row));
    this.#alternate = new ScreenReader();
    this.#wasAlternate = false;
    this.#scrolled = [];
    this.#isSettled = false;
    return { emulator, output: new TimedOutput(this.recording) };
  }
}
