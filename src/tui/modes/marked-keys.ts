import type { App } from '../app.ts';
import { endMarked, interruptMarked, restartMarked } from '../lifecycle.ts';
import { compareByWords } from './compare.ts';
import type { Hint } from './mode.ts';
import { writeToMarked } from './write-several.ts';

/** Returns the hints for the keys that work while sessions are marked. These keys apply to all marked sessions. */
export function markedHints(count: number): Hint[] {
  return [
    ['Space', 'mark'],
    ['s', `write to ${count}`],
    ['i', 'interrupt'],
    ['r', 'restart'],
    ['x', 'stop'],
    ['C', 'compare'],
    ['Esc', 'no marks'],
    ['?', 'help'],
  ];
}

/** The keys that apply to all marked sessions. */
export const OF_MARKED: Readonly<Record<string, (app: App) => void>> = {
  enter: writeToMarked,
  s: writeToMarked,
  i: interruptMarked,
  r: restartMarked,
  x: endMarked,
  C: (app) => compareByWords(app, ''),
};

/**
 * The keys that would answer a single session's question or write to a single session. They are disabled, because a
 * user who marks sessions wants to act on all of them.
 */
export const OF_ONE: ReadonlySet<string> = new Set(['y', 'n', 'a', '.', 'e', 't', 'c', 'v', 'd', 'u', 'Z', 'F', 'W']);
