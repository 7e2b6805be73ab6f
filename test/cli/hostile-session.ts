import { statusOf } from './some-questions.ts';

/**
 * Everything that a terminal would obey: a title, a cleared screen, a C1 sequence, cursor moves, reordered text, and a
 * NUL.
 */
export const HOSTILE = '\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u0008\u202eevil\u0000\n';

/**
 * Characters that the output must never contain: all control characters except the line feed, and the mark that
 * reorders.
 */
export const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;

/** A session that contains the hostile text wherever a text can be. */
export const HOSTILE_SESSION = {
  path: `/tmp/${HOSTILE}`,
  screen_id: `1.${HOSTILE}`,
  model: HOSTILE,
  buffer_tail: HOSTILE.repeat(2),
  state: 'waiting',
  status: statusOf({
    primary: 'waiting',
    detail: 'question',
    because: { source: 'screen', rule: HOSTILE, evidence: HOSTILE },
    question: {
      id: 'q',
      kind: 'question',
      text: HOSTILE,
      tool: { name: HOSTILE, input: { [HOSTILE]: HOSTILE, command: HOSTILE } },
      options: [{ key: '1', label: HOSTILE, description: HOSTILE, means: 'yes' }],
      multi: false,
      questions: [],
      asked_at: '2026-11-20T15:04:05.123Z',
    },
  }),
} as const;
