import { type Signal, signal } from '@preact/signals';
import type { ReplayEvent, ReplayFrame, ReplayInfo, ReplayOutput } from '../../protocol/index.ts';
import type { Screen } from '../terminal/screen.ts';

/** The longest silence that is played if silences are skipped. A skip ends shortly before the next output. */
const IDLE_LIMIT_S = 1.5;
const BEFORE_NEXT_S = 0.3;
/** The next output is requested when no more than this many events are left. */
const LOW_WATER_EVENTS = 200;
/**
 * How much output may be waiting to be drawn before the player pauses. If the player did not pause, the picture would
 * only fall further behind.
 */
const MAX_UNDRAWN = 1_000_000;

export interface ReplaySource {
  info(): Promise<ReplayInfo>;
  frame(at: { t: number } | { offset: number }): Promise<ReplayFrame>;
  output(from: number): Promise<ReplayOutput>;
}

/** Plays a recording on a screen. Times are in seconds from the start of the recording. */
export interface Player {
  position: Signal<number>;
  isPlaying: Signal<boolean>;
  speed: Signal<number>;
  skipsIdle: Signal<boolean>;
  play(): void;
  pause(): void;
  /** shows the screen at the given moment, and continues from there if the recording is being played */
  seek(at: { t: number } | { offset: number }): Promise<void>;
  dispose(): void;
}

export function createPlayer(options: {
  source: ReplaySource;
  screen: Screen;
  info: ReplayInfo;
  /** the part to play, in seconds; the whole recording by default */
  part?: { start: number; end: number };
  onError(error: unknown): void;
}): Player {
  const { source, screen, info, onError } = options;
  const { start: first, end: last } = options.part ?? { start: 0, end: Number.POSITIVE_INFINITY };
  const position = signal(0);
  const isPlaying = signal(false);
  const speed = signal(1);
  const skipsIdle = signal(true);
  let events: ReplayEvent[] = [];
  /** `from` for requesting the output that follows the loaded events, or null if there is no more output */
  let next: number | null = 0;
  let isLoading = false;
  let undrawn = 0;
  let frame = 0;
  let lastTick = 0;
  /** counts jumps; a response that was requested before the last jump is outdated */
  let jumps = 0;
  /** whether the screen is still being loaded; playing continues when it has arrived */
  let isJumping = false;
  /**
   * the screen that is being requested; only one request runs at a time, so that dragging the scrubber does not request
   * every position along the way
   */
  let asked: Promise<void> = Promise.resolve();

  const load = async (): Promise<void> => {
    if (isLoading || next === null) return;
    const [from, jump] = [next, jumps];
    isLoading = true;
    try {
      const output = await source.output(from);
      if (jump !== jumps) return;
      events = [...events, ...output.events];
      next = output.next;
    } catch (error) {
      pause();
      onError(error);
    } finally {
      isLoading = false;
    }
  };

  const draw = (until: number): void => {
    let count = 0;
    let text = '';
    const flush = (): void => {
      if (text === '') return;
      const { length } = text;
      undrawn += length;
      screen.write(text, () => {
        undrawn -= length;
      });
      text = '';
    };
    for (const [t, kind, data] of events) {
      if (t > until) break;
      count++;
      if (kind === 'o') text += data;
      else {
        flush();
        const [cols, rows] = data.split('x').map(Number);
        if (cols !== undefined && rows !== undefined) screen.resize(cols, rows);
      }
    }
    flush();
    if (count > 0) events = events.slice(count);
  };

  const tick = (at: number): void => {
    frame = requestAnimationFrame(tick);
    const elapsed = Math.max(0, at - lastTick) / 1000;
    lastTick = at;
    if (isJumping) return;
    if (events.length < LOW_WATER_EVENTS) void load();
    if (undrawn > MAX_UNDRAWN || (events.length === 0 && next !== null)) return;
    let to = position.peek() + elapsed * speed.peek();
    const upcoming = Math.min(events[0]?.[0] ?? info.duration_s, last);
    if (skipsIdle.peek() && upcoming - to > IDLE_LIMIT_S) to = upcoming - BEFORE_NEXT_S;
    to = Math.min(to, last);
    draw(to);
    position.value = Math.min(to, info.duration_s);
    if (to === last || (events.length === 0 && next === null)) pause();
  };

  const pause = (): void => {
    cancelAnimationFrame(frame);
    isPlaying.value = false;
  };
  const start = (): void => {
    if (isPlaying.peek()) return;
    isPlaying.value = true;
    lastTick = performance.now();
    frame = requestAnimationFrame(tick);
  };

  return {
    position,
    isPlaying,
    speed,
    skipsIdle,
    play: () => {
      // If the recording is at its end, play it from the beginning, as every player does. This also applies to a
      // recording of zero length.
      if (position.peek() >= Math.min(last, info.duration_s) - 0.05) void seek({ t: first }).then(start);
      else start();
    },
    pause,
    seek,
    dispose: () => {
      jumps++;
      pause();
    },
  };

  function seek(at: { t: number } | { offset: number }): Promise<void> {
    const jump = ++jumps;
    isJumping = true;
    events = [];
    next = null;
    // Change the position immediately, because the next keypress or click is relative to it.
    if ('t' in at) position.value = at.t;
    asked = asked.then(() => show(at, jump));
    return asked;
  }

  async function show(at: { t: number } | { offset: number }, jump: number): Promise<void> {
    if (jump !== jumps) return;
    try {
      const shown = await source.frame(at);
      if (jump !== jumps) return;
      screen.clear();
      screen.resize(shown.cols, shown.rows);
      screen.write(shown.data);
      position.value = shown.t;
      next = shown.t;
    } catch (error) {
      pause();
      onError(error);
    } finally {
      if (jump === jumps) isJumping = false;
    }
  }
}
