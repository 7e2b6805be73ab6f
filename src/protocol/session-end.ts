import { z } from 'zod';
import { ENDED_BY } from './names.ts';
import { Timestamp } from './words.ts';

export const SessionEnd = z.strictObject({
  by: z.enum(ENDED_BY).meta({
    description:
      'cbos: on request; user: in Claude Code itself, as by /exit; signal: another program sent a signal, whose name may be unknown; killed: SIGKILL, as by the kernel when memory runs out; error: Claude Code, or its wrapper, exited with an error code; unknown: neither the recording nor a hook tells, not even if the exit code is 0',
  }),
  exit_code: z.int().optional().meta({ description: 'The exit code, as in a shell; absent if unknown' }),
  signal: z.string().optional().meta({ description: 'The name of the signal, such as SIGKILL' }),
  at: Timestamp.meta({ description: 'When CBOS noticed the end' }),
});
export type SessionEnd = z.infer<typeof SessionEnd>;
