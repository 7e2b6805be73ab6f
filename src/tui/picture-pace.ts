import type { Dispose } from '../client/index.ts';
import type { TuiOptions } from './host.ts';

/**
 * The minimum time between two pictures while something keeps changing. Even if timers are late, each of 30 changes a
 * second is shown. Nobody sees more than that, and each picture also costs the terminal time.
 */
const PICTURE_MS = 30;
/**
 * How long after a keypress a change still counts as its effect. The effect of a keypress is shown at once, including
 * the server's answer to it.
 */
const KEY_EFFECT_MS = 150;
/** The minimum time between two pictures during that time. */
const KEY_PICTURE_MS = 5;

/** Decides when pictures are painted. */
export interface PicturePace {
  /** Requests a picture. Changes in quick succession share one. */
  ask(): void;
  /** Call this at each keypress, before its effect requests a picture. */
  noteKey(): void;
  /** Call this when a picture is painted. */
  notePainted(): void;
  dispose(): void;
}

export function createPicturePace(
  { now, startTimer }: Pick<TuiOptions, 'now' | 'startTimer'>,
  paint: () => void,
): PicturePace {
  let due: Dispose | null = null;
  let paintedAt = 0;
  let keyAt = 0;
  const forget = (): void => {
    due?.();
    due = null;
  };
  return {
    ask: () => {
      if (due !== null) return;
      const apart = now() - keyAt < KEY_EFFECT_MS ? KEY_PICTURE_MS : PICTURE_MS;
      const paintDue = (): void => {
        due = null;
        paint();
      };
      due = startTimer(paintDue, Math.max(0, apart - (now() - paintedAt)));
    },
    noteKey: () => {
      keyAt = now();
      forget();
    },
    notePainted: () => {
      paintedAt = now();
    },
    dispose: forget,
  };
}
