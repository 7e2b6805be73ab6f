import { type Elsewhere, elsewhereOf, type Right, type SeenSession } from '../../protocol/index.ts';
import type { Hint } from './mode.ts';

/**
 * The rights that each key requires for a session on another machine. All other keys work only for sessions on this
 * machine.
 */
const NEEDED: Readonly<Record<string, readonly Right[]>> = {
  y: ['answer'],
  a: ['answer'],
  Enter: ['answer'],
  s: ['type'],
  i: ['type'],
  t: ['see'],
  r: ['launch'],
  x: ['end'],
};
/** The keys that do not affect the selected session. */
const ANYWHERE: ReadonlySet<string> = new Set(['Tab', 'Space', 'Esc', 'v', '/', 'f', 'q', 'S', ':', '?']);

/** Reports whether a key works for a session on another machine. If so, the hints include it. */
export function isOffered([key, does]: Hint, { may }: Elsewhere): boolean {
  if (ANYWHERE.has(key) || does === 'new') return true;
  if (does === 'no') return may.includes('answer');
  const needed = /^[1-9]/.test(key) ? NEEDED.y : NEEDED[key];
  return needed?.every((right) => may.includes(right)) === true;
}

/** Reports whether the user can attach to a session. A JSON session gets a terminal only on its own machine. */
export const hasTerminal = (session: SeenSession): boolean =>
  session.screen_id !== null || (session.type === 'json' && elsewhereOf(session) === null);
