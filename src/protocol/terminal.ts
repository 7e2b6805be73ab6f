import { z } from 'zod';
import { NonNegative } from './route.ts';

/**
 * The longest time that one request may wait for output. A client that must notice a lost connection quickly asks for a
 * shorter wait.
 */
export const LONGEST_TERMINAL_WAIT_MS = 5_000;

export const TerminalQuery = z.strictObject({
  from: NonNegative.optional().meta({
    type: 'integer',
    minimum: 0,
    description: 'the `offset` of the previous part; without it, the part is the current screen',
  }),
  epoch: NonNegative.optional().meta({
    type: 'integer',
    minimum: 0,
    description: 'the `epoch` of the previous part; if the recording was replaced since, the part is the screen',
  }),
  wait_ms: z.coerce.number().int().min(0).max(LONGEST_TERMINAL_WAIT_MS).optional().meta({
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_TERMINAL_WAIT_MS,
    description: 'how long to wait for output, in milliseconds; 0 by default',
  }),
});

/**
 * A piece of what a session's terminal shows. A client that draws all pieces in order shows the same screen as the
 * session.
 */
export const TerminalPart = z
  .object({
    data: z.string().meta({ description: 'what to write into the terminal; empty if there was no output' }),
    offset: z.int().meta({ description: 'the `from` of the next part' }),
    epoch: z.int().meta({ description: 'the `epoch` of the next part' }),
    snapshot: z.boolean().meta({
      description:
        'true if `data` draws the whole screen in an empty terminal: at the beginning, for a client that is far behind, and when the recording was replaced',
    }),
    cols: z.int(),
    rows: z.int(),
    ended: z.boolean().meta({ description: 'Whether the session has stopped' }),
  })
  .meta({ id: 'TerminalPart' });
export type TerminalPart = z.infer<typeof TerminalPart>;
