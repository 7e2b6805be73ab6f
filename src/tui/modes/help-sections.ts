import type { Help } from '../mode.ts';
import { ANSWER_KEYS, TURN_KEYS } from './answer-keys.ts';
import { helpRows } from './binding.ts';
import { OPEN_KEYS, OTHER_KEYS, SESSION_KEYS, VIEW_KEYS } from './browse-keys.ts';
import { CHANGES_KEYS } from './changes.ts';
import { REPLY_KEYS } from './reply.ts';

/** The help page's sections about keys and the mouse, in their order. */
export const HELP: Help = {
  Sessions: helpRows(SESSION_KEYS),
  Answering: helpRows(ANSWER_KEYS),
  Writing: [...helpRows(REPLY_KEYS), ...helpRows(TURN_KEYS)],
  Viewing: [...helpRows(VIEW_KEYS), ...helpRows(CHANGES_KEYS), ...helpRows(OPEN_KEYS)],
  'The mouse': [
    ['click', 'select a session, or an option of its question'],
    ['wheel', 'scroll the list, or the pane next to it; with Shift, your terminal selects text as usual'],
    [':mouse', 'turn the mouse off or on; CBOS_MOUSE=off in the environment turns it off from the start'],
  ],
  'Other keys': helpRows(OTHER_KEYS),
};
