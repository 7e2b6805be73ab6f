import { z } from 'zod';

/** How full a session's context window is. */
export const ContextWindow = z
  .object({
    used_tokens: z
      .int()
      .min(0)
      .meta({ description: 'The number of input tokens in the last request, including cached ones' }),
    size_tokens: z.int().min(1),
    used_percentage: z.number().min(0).meta({ description: "Claude Code's own figure" }),
  })
  .meta({ id: 'ContextWindow' });
export type ContextWindow = z.infer<typeof ContextWindow>;
