import { z } from 'zod';

/** What a session takes of the machine. */
export const SessionResources = z
  .object({
    session: z.string(),
    processes: z.int().meta({ description: 'How many run for it; 0 while it is parked or stopped' }),
    memory_bytes: z.int().meta({ description: 'Resident memory of all its processes; shared pages count in each' }),
    cpu_ms: z.int().meta({ description: 'Processor time of its living processes since they began' }),
  })
  .meta({ id: 'SessionResources' });
export type SessionResources = z.infer<typeof SessionResources>;
