import type { z } from 'zod';
import type { ROUTES, RouteName, RouteOutput } from '../protocol/index.ts';
import type { Guesser } from './auth/guesses.ts';

type Parsed<N extends RouteName, K extends string> =
  (typeof ROUTES)[N] extends Record<K, infer S extends z.ZodType> ? Record<K, z.output<S>> : object;

/**
 * The input of a route's handler: the validated parts of the request, the request itself (for its headers), and its
 * sender.
 */
type HandlerInput<N extends RouteName> = Parsed<N, 'params'> &
  Parsed<N, 'query'> &
  Parsed<N, 'body'> & { request: Request; from: Guesser };

type HandlerOutput<N extends RouteName> = [RouteOutput<N>] extends [never] ? Response : RouteOutput<N> | Response;

/** One handler for each route. The code does not compile if a route lacks a handler. */
export type Handlers = {
  [N in RouteName]: (input: HandlerInput<N>) => HandlerOutput<N> | Promise<HandlerOutput<N>>;
};
