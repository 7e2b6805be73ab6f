import { z } from 'zod';
import type { RouteRow } from './route.ts';
import { AddedSink, NewSink, Sink } from './sinks.ts';

/** The part of the REST interface for sinks. */
export const SINK_ROUTES = {
  listSinks: {
    method: 'get',
    path: '/sinks',
    who: 'session',
    summary: 'Every sink, with its rules, its unsent messages and its errors',
    response: z.array(Sink),
  },
  addSink: {
    method: 'post',
    path: '/sinks',
    who: 'person',
    summary:
      'Add a sink that reports questions from now on; if its rules allow, it also gets questions that are already open',
    body: NewSink,
    success: 201,
    response: AddedSink,
    errors: ['sink_taken', 'invalid_sink'],
  },
  removeSink: {
    method: 'delete',
    path: '/sinks/{name}',
    who: 'person',
    summary: 'Remove a sink and its secrets; messages that were already sent stay, but their buttons do nothing',
    response: Sink,
    errors: ['no_such_sink'],
  },
  testSink: {
    method: 'post',
    path: '/sinks/{name}/test',
    who: 'person',
    summary: 'Send a test message now',
    response: z.object({ status: z.literal('sent') }),
    errors: ['no_such_sink', 'sink_failed'],
  },
} as const satisfies Record<string, RouteRow>;
