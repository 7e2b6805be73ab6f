import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** One request of the REST interface. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** in OpenAPI's form: `/sessions/{slug}` */
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** status of success */
  success: number;
  /** schema of the answer; null: bytes */
  response: z.ZodType | null;
  errors: readonly ErrorCode[];
  /** needs no token */
  open?: boolean;
}
