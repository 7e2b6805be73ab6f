import type { Dispose } from '../client/index.ts';
import type { TuiOptions } from './host.ts';

/**
 * The minimum time between two pictures while something keeps changing. Even if timers are late, each of 30 changes a
 * second is shown. Nobody can see more than that, and the terminal also needs time for each picture.
 */
const PICTURE_MS = 30;
/**
 * How long after a keypress a change still counts as the keypress's effect. Such an effect is shown immediately,
 * including the server's answer.
 */
const KEY_EFFECT_MS = 150;
/** The minimum time between two pictures within that time after a keypress. */
const KEY_PICTURE_MS = 5;

/** Decides when pictures are painted. */
export interface PicturePace {
  /** Requests a picture. Changes in quick succession share one. */
  ask(): void;
  /** Call this at each keypress, before the keypress requests a picture. */
  noteKey(): void;
  /** Call this when a picture has been painted. */
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
