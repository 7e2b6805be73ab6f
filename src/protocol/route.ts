import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Right } from './machine-words.ts';

/** A row of the table of routes, which defines one request in the REST interface. */
export interface RouteRow {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** the path in OpenAPI notation, such as `/sessions/{slug}` */
  path: string;
  /**
   * who may send the request: anybody (`open`, without a token), also a process inside a session (`session`), or only a
   * person. The setting `sessions_may` can give processes inside sessions the rights of a person.
   */
  who: 'open' | 'session' | 'person';
  /** the right that another machine in the fleet needs for the request; without one, no other machine may send it */
  right?: Right;
  /** whether the body is a prompt, which begins with the session's name if a process inside a session sends it */
  isPrompt?: boolean;
  summary: string;
  /** the parameters in the path; if omitted, each is a string */
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** whether the body is a file, which is streamed instead of being held in memory; cannot be combined with `body` */
  takesBytes?: boolean;
  /** the HTTP status on success; 200 if omitted */
  success?: number;
  /** the schema of the response, or null if the response consists of raw bytes */
  response: z.ZodType | null;
  /** none if omitted */
  errors?: readonly ErrorCode[];
}

/** The definition of one request. */
export interface Route extends RouteRow {
  success: number;
  errors: readonly ErrorCode[];
}

export const NonNegative = z.coerce.number().int().min(0).meta({ type: 'integer', minimum: 0 });
