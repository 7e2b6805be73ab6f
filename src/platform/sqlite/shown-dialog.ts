import { z } from 'zod';

/** A dialog that was shown as a question; `core/status/shown-dialog.ts` explains its fields. */
export const ShownDialog = z.object({
  id: z.string(),
  also: z.array(z.string()).readonly(),
  call: z.string().nullable(),
  drawn: z.object({ looks: z.string(), openedAt: z.number() }).nullable(),
  isAsked: z.boolean(),
});
export type ShownDialog = z.infer<typeof ShownDialog>;
