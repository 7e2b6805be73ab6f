import { z } from 'zod';

/** The error object in REST bodies and WebSocket results. */
export const ErrorBody = z
  .looseObject({ code: z.string(), message: z.string(), hint: z.string() })
  .meta({ id: 'Error', description: 'The error `not_accepting_text` contains the open question as `question`' });
export type ErrorBody = z.infer<typeof ErrorBody>;

export const ErrorResponse = z.object({ error: ErrorBody }).meta({ id: 'ErrorResponse' });
