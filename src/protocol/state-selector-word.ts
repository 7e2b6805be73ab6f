import { z } from 'zod';
import { parseStateSelector, STATE_SELECTOR_WORDS } from './state-selector.ts';

/** A selector, as given in a query string or an option. */
export const StateSelectorWord = z
  .string()
  .refine((word) => parseStateSelector(word) !== null, { error: `must be one of ${STATE_SELECTOR_WORDS.join(', ')}` });
