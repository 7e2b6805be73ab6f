import type { Emulator } from '../emulator/index.ts';
import type { RecordedFile } from './recorded-file.ts';
import type { Place, RecordedRow } from './recorded-rows.ts';

/**
 * How many bytes to give to the emulator at once. Chunks of this size are parsed at full speed, and other work never
 * has to wait longer than 4 ms.
 */
const DRAW_BYTES = 128 * 1024;

/** Draws rows into a terminal, combining their output into large pieces. */
export class Drawing {
  readonly emulator: Emulator;
  readonly #file: RecordedFile;
  #drawn: number;
  #wanted: number;

  constructor(file: RecordedFile, emulator: Emulator, place: Place) {
    this.#file = file;
    this.emulator = emulator;
    this.#drawn = place.offset;
    this.#wanted = place.offset;
  }

  async add({ kind, after }: RecordedRow): Promise<void> {
    if (kind === 'output') {
      this.#wanted = after.offset;
      if (this.#wanted - this.#drawn >= DRAW_BYTES) await this.draw();
      return;
    }
    await this.draw();
    this.emulator.resize(after.cols, after.rows);
  }

  /** Resolves once the screen shows everything that was added. */
  async draw(): Promise<void> {
    while (this.#drawn < this.#wanted) {
      const bytes = await this.#file.read(this.#drawn, Math.min(this.#wanted, this.#drawn + DRAW_BYTES));
      if (bytes.length === 0) break;
      this.#drawn += bytes.length;
      this.emulator.write(bytes);
      await this.emulator.flush();
    }
    await this.emulator.flush();
  }
}
