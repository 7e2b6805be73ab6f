import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** One request in the REST interface. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** in OpenAPI's notation: `/sessions/{slug}` */
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** the body is a file, which is never held in memory as a whole; excludes `body` */
  takesBytes?: boolean;
  /** HTTP status on success */
  success: number;
  /** schema of the response, or null for bytes */
  response: z.ZodType | null;
  errors: readonly ErrorCode[];
  /** whether the route needs no token */
  open?: boolean;
}

export const SlugParam = z.object({ slug: z.string() });

export const NonNegative = z.coerce.number().int().min(0).meta({ type: 'integer', minimum: 0 });
