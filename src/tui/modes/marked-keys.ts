import { endMarked, interruptMarked, markedSessions, restartMarked } from '../lifecycle.ts';
import type { BrowseKey } from './browse-key.ts';
import { compareByWords } from './compare.ts';
import { writeToMarked } from './write-several.ts';

/** The keys that apply to all marked sessions, while some are marked. */
export const MARKED_KEYS: readonly BrowseKey[] = [
  { keys: ['s', 'enter'], far: 'type', does: (app) => `write to ${markedSessions(app).length}`, run: writeToMarked },
  { keys: ['i'], far: 'type', does: 'interrupt', run: interruptMarked },
  { keys: ['r'], far: 'launch', does: 'restart', run: restartMarked },
  { keys: ['x'], far: 'end', does: 'stop', run: endMarked },
  { keys: ['C'], does: 'compare', run: (app) => compareByWords(app, '') },
];
