import type { Dispose } from '../client/index.ts';
import type { TuiOptions } from './host.ts';

/**
 * The minimum time between two pictures while something keeps changing. Even if timers fire late, 30 changes per second
 * can be shown. Nobody can see more than that, and the terminal also needs time to draw each picture.
 */
const PICTURE_MS = 30;
/**
 * How long after a keypress a change still counts as an effect of that keypress. Such effects, including the server's
 * response, are shown immediately.
 */
const KEY_EFFECT_MS = 150;
/** The minimum time between two pictures shortly after a keypress. */
const KEY_PICTURE_MS = 5;

/** Decides when pictures are painted. */
export interface PicturePace {
  /** Requests a picture. Requests in quick succession share one picture. */
  ask(): void;
  /** Call this for each keypress, before its effect requests a picture. */
  noteKey(): void;
  /** Call this after a picture has been painted. */
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
