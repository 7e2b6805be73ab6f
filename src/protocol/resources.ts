import { z } from 'zod';

/** The resources that a session uses. */
export const SessionResources = z
  .object({
    session: z.string(),
    processes: z.int().meta({ description: 'How many processes the session has; 0 while it is parked or stopped' }),
    memory_bytes: z
      .int()
      .meta({ description: "Resident memory of all the session's processes; shared pages count once per process" }),
    cpu_ms: z.int().meta({ description: "Processor time of the session's running processes since they started" }),
  })
  .meta({ id: 'SessionResources' });
export type SessionResources = z.infer<typeof SessionResources>;
