import { z } from 'zod';
import { Timestamp } from './words.ts';

const Spent = z.int().min(0);

/**
 * How a session spent a day. Only time during which the server observed the session counts. Time does not count if no
 * server was running, the machine was asleep, or the session was dead or unknown.
 */
export const SessionDay = z
  .object({
    session: z.string(),
    day: z.iso.date().meta({ description: "In the server's time zone" }),
    worked_ms: Spent.meta({ description: 'thinking or working' }),
    waited_ms: Spent.meta({ description: 'waiting for the user: a question is open, or the turn is over' }),
    stuck_ms: Spent,
    idle_ms: Spent.meta({ description: 'never prompted' }),
    error_ms: Spent.meta({ description: 'stopped by an error' }),
    cost_usd: z.number().nullable().meta({ description: 'null if nothing reported the cost' }),
  })
  .meta({ id: 'SessionDay' });
export type SessionDay = z.infer<typeof SessionDay>;

export const DaysQuery = z.strictObject({
  session: z.string().optional(),
  since: z.union([z.iso.date(), Timestamp]).optional().meta({ description: 'A day, or any time on that day' }),
});
export type DaysQuery = z.infer<typeof DaysQuery>;
