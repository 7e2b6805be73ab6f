import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** The definition of one request in the REST interface. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** the path in OpenAPI notation, such as `/sessions/{slug}` */
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** whether the body is a file, which is streamed instead of being held in memory; cannot be combined with `body` */
  takesBytes?: boolean;
  /** the HTTP status on success */
  success: number;
  /** the schema of the response, or null if the response consists of raw bytes */
  response: z.ZodType | null;
  errors: readonly ErrorCode[];
  /** whether the route can be used without a token */
  open?: boolean;
}

export const SlugParam = z.object({ slug: z.string() });

export const NonNegative = z.coerce.number().int().min(0).meta({ type: 'integer', minimum: 0 });
