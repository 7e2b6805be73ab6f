import {
  changeSpeed,
  jumpTo,
  pause,
  positionOf,
  type ReplayClock,
  type ReplayKey,
  reach,
  replayStatus,
  SafeOutput,
  startClock,
  togglePause,
  waitUntilDue,
} from '../../core/recording/index.ts';
import { createEmulator, type Emulator } from '../emulator/index.ts';
import { createPainter } from './painter.ts';
import { type RecordedStep, type RecordingSource, readFacts, readSteps } from './recording-steps.ts';

/** One event of a played recording. `at` is in seconds from the start. */
export type PlayedStep =
  | Omit<Extract<RecordedStep, { kind: 'output' }>, 'to'>
  | Extract<RecordedStep, { kind: 'resize' }>;

/** A recording that can be played. */
export interface Playable {
  cols: number;
  rows: number;
  /** Returns everything that happened, from the beginning or from a screen no later than the given time. */
  steps(fromMs: number): AsyncGenerator<PlayedStep>;
}

/** Returns a recording in files. @throws CatalogueError no_recording */
export async function playableFile(source: RecordingSource): Promise<Playable & { timed: boolean }> {
  const facts = await readFacts(source);
  return { ...facts, steps: () => readSteps(source, facts) };
}

/** The terminal in which a replay is shown. */
export interface ReplayStage {
  /**
   * the terminal's size, or null if there is no terminal; in that case, the output is written as it comes, without
   * keypresses or jumps
   */
  size(): { cols: number; rows: number } | null;
  /** resolves when there is room for more output */
  write(text: string): Promise<void>;
  /** @returns a function that ends the subscription */
  onKey(listener: (key: ReplayKey) => void): () => void;
  /** shows the files at a position until the user returns to the replay; null if there are none to show */
  showFiles: ((positionMs: number) => Promise<void>) | null;
  /** returns milliseconds from a clock that never goes back */
  now(): number;
  /** aborted when the replay must end */
  signal: AbortSignal;
}

export interface ReplayOptions {
  speed: number;
  idleLimitMs: number | null;
  fromMs: number;
}

/**
 * How long the status line covers the recording's last row after a keypress. If there is room below that row, the
 * status line is always shown.
 */
const STATUS_MS = 2_500;
/** How often the clock in the status line is updated. */
const STATUS_EVERY_MS = 500;

/** How far an arrow key jumps in the recording. */
const JUMP_MS = 5_000;
/** How many bytes are given to the emulator before the player waits for it. */
const FEED_BYTES = 1_000_000;

/** Plays a recording until it ends, the user quits, or the signal is aborted. */
export async function playRecording(recording: Playable, options: ReplayOptions, stage: ReplayStage): Promise<void> {
  const player = new Player({ recording, options, stage });
  try {
    await player.run();
  } finally {
    await player.close();
  }
}

interface PlayerParts {
  recording: Playable;
  options: ReplayOptions;
  stage: ReplayStage;
}

class Player {
  readonly #parts: PlayerParts;
  readonly #painter: ReturnType<typeof createPainter>;
  readonly #safe = new SafeOutput();
  #decoder = new TextDecoder();
  #steps: AsyncGenerator<PlayedStep>;
  #emulator: Emulator;
  #clock: ReplayClock;
  #keys: ReplayKey[] = [];
  #wake: () => void = () => undefined;
  #single = false;
  #fed = 0;
  #keyAt = Number.NEGATIVE_INFINITY;

  constructor(parts: PlayerParts) {
    this.#parts = parts;
    this.#steps = parts.recording.steps(parts.options.fromMs);
    this.#emulator = this.#newEmulator();
    this.#clock = startClock(parts.options, parts.stage.now());
    this.#painter = createPainter((text) => parts.stage.write(text));
  }

  async run(): Promise<void> {
    const { stage, options } = this.#parts;
    const wake = (): void => this.#wake();
    stage.signal.addEventListener('abort', wake);
    const stopKeys = stage.onKey((key) => {
      this.#keys.push(key);
      wake();
    });
    try {
      let next = await this.#read();
      if (options.fromMs > 0) next = await this.#jump(options.fromMs, next);
      while (!stage.signal.aborted) {
        const key = this.#keys.shift();
        if (key !== undefined) this.#keyAt = stage.now();
        if (key === 'quit') return;
        if (key !== undefined) {
          next = await this.#obey(key, next);
          await this.#paintStatus();
        } else if (next === null) {
          // At the end of the recording, the replay is paused, because the user may want to go back.
          if (!this.#clock.isPaused) return;
          await this.#sleepWithStatus(null);
        } else {
          const wait = this.#single ? 0 : waitUntilDue(this.#clock, next.at * 1_000, stage.now());
          if (wait === 0) {
            await this.#show(next);
            next = await this.#read();
          } else await this.#sleepWithStatus(wait);
        }
      }
    } finally {
      stopKeys();
      stage.signal.removeEventListener('abort', wake);
    }
  }

  async close(): Promise<void> {
    this.#emulator.dispose();
    await this.#steps.return(undefined);
  }

  async #obey(key: Exclude<ReplayKey, 'quit'>, next: PlayedStep | null): Promise<PlayedStep | null> {
    const now = this.#parts.stage.now();
    switch (key) {
      case 'pause':
        this.#clock = togglePause(this.#clock, now);
        return next;
      case 'step':
        this.#clock = pause(this.#clock, now);
        this.#single = next !== null;
        return next;
      case 'faster':
      case 'slower':
        this.#clock = changeSpeed(this.#clock, key === 'faster' ? 2 : 0.5, now);
        return next;
      case 'forward':
        return this.#jump(positionOf(this.#clock, now) + JUMP_MS, next);
      case 'back':
        return this.#jump(Math.max(0, positionOf(this.#clock, now) - JUMP_MS), next);
      case 'files':
        await this.#showFiles();
        return next;
    }
  }

  /** Shows the files at this position. The replay waits for the user to return, and then continues. */
  async #showFiles(): Promise<void> {
    const { stage } = this.#parts;
    if (stage.showFiles === null || stage.size() === null) return;
    const { isPaused } = this.#clock;
    const now = stage.now();
    this.#clock = pause(this.#clock, now);
    await stage.showFiles(positionOf(this.#clock, now));
    if (!isPaused) this.#clock = togglePause(this.#clock, stage.now());
    this.#painter.forget();
  }

  /**
   * Draws everything up to the target at once, starting again if the target is in the past. @returns the first step
   * after the target
   */
  async #jump(target: number, from: PlayedStep | null): Promise<PlayedStep | null> {
    const { stage, recording } = this.#parts;
    let next = from;
    if (target < this.#clock.at) {
      await this.close();
      this.#steps = recording.steps(target);
      this.#emulator = this.#newEmulator();
      next = await this.#read();
    }
    while (next !== null && next.at * 1_000 <= target && !stage.signal.aborted) {
      await this.#feed(next);
      next = await this.#read();
    }
    this.#clock = jumpTo(this.#clock, target, stage.now());
    this.#decoder = new TextDecoder();
    await this.#paint();
    return next;
  }

  async #show(step: PlayedStep): Promise<void> {
    const { stage } = this.#parts;
    await this.#feed(step);
    this.#single = false;
    if (stage.size() !== null) await this.#paint();
    else if (step.kind === 'output') {
      await stage.write(this.#safe.read(this.#decoder.decode(step.bytes, { stream: true })));
    }
    this.#clock = reach(this.#clock, step.at * 1_000, stage.now());
  }

  async #paint(): Promise<void> {
    const size = this.#parts.stage.size();
    await this.#emulator.flush();
    if (size !== null) await this.#painter.paint(this.#emulator, size, this.#status(size));
    else
      await this.#parts.stage.write(
        `${this.#emulator.styledRows(this.#emulator.frame().cols).join('\r\n').trimEnd()}\r\n`,
      );
  }

  /** Returns the note to show, or null while the note would cover something. */
  #status(size: { rows: number }): string | null {
    const now = this.#parts.stage.now();
    const hasRoom = size.rows > this.#emulator.frame().rows;
    if (!hasRoom && !this.#clock.isPaused && now - this.#keyAt >= STATUS_MS) return null;
    return replayStatus(this.#clock, { now, hasFiles: this.#parts.stage.showFiles !== null });
  }

  async #paintStatus(): Promise<void> {
    if (this.#parts.stage.size() !== null) await this.#paint();
  }

  /**
   * Sleeps. During that time, the player updates the clock in a visible status line, and removes the line when its time
   * is up.
   */
  async #sleepWithStatus(forMs: number | null): Promise<void> {
    const size = this.#parts.stage.size();
    if (size === null || this.#clock.isPaused || this.#status(size) === null) return this.#sleep(forMs);
    await this.#sleep(Math.min(forMs ?? STATUS_EVERY_MS, STATUS_EVERY_MS));
    await this.#paintStatus();
  }

  async #feed(step: PlayedStep): Promise<void> {
    if (step.kind === 'resize') {
      await this.#emulator.flush();
      this.#emulator.resize(step.cols, step.rows);
      return;
    }
    this.#emulator.write(step.bytes);
    this.#fed += step.bytes.length;
    if (this.#fed < FEED_BYTES) return;
    this.#fed = 0;
    await this.#emulator.flush();
  }

  async #read(): Promise<PlayedStep | null> {
    const { done, value } = await this.#steps.next();
    return done === true ? null : value;
  }

  #newEmulator(): Emulator {
    return createEmulator({ cols: this.#parts.recording.cols, rows: this.#parts.recording.rows, scrollback: 0 });
  }

  /**
   * Waits for a keypress, for the end, or until the given time has passed. If the time is null, waits only for a
   * keypress or the end.
   */
  #sleep(forMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = forMs === null ? undefined : setTimeout(resolve, Math.min(forMs, LONGEST_SLEEP_MS));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#keys.length > 0 || this.#parts.stage.signal.aborted) this.#wake();
    });
  }
}

/**
 * A timer of more than 2^31 ms fires immediately. A sleep that is too short does no harm, because the player checks the
 * time again anyway.
 */
const LONGEST_SLEEP_MS = 3_600_000;
