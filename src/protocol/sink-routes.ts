import { z } from 'zod';
import type { Route } from './route.ts';
import { AddedSink, NewSink, Sink } from './sinks.ts';

const NameParam = z.object({ name: z.string() });

/** The part of the REST interface for sinks. */
export const SINK_ROUTES = {
  listSinks: {
    method: 'get',
    path: '/sinks',
    summary: 'Every sink, with its rules, what waits to be sent and what went wrong',
    success: 200,
    response: z.array(Sink),
    errors: [],
  },
  addSink: {
    method: 'post',
    path: '/sinks',
    summary: 'Tell questions to a sink from now on; those that are open already too, by its rules',
    body: NewSink,
    success: 201,
    response: AddedSink,
    errors: ['sink_taken', 'invalid_sink'],
  },
  removeSink: {
    method: 'delete',
    path: '/sinks/{name}',
    summary:
      'Forget a sink with its secrets; messages that were sent stay where they are, and their buttons do nothing',
    params: NameParam,
    success: 200,
    response: Sink,
    errors: ['no_such_sink'],
  },
  testSink: {
    method: 'post',
    path: '/sinks/{name}/test',
    summary: 'Send a message now that says that it is a test',
    params: NameParam,
    success: 200,
    response: z.object({ status: z.literal('sent') }),
    errors: ['no_such_sink', 'sink_failed'],
  },
} as const satisfies Record<string, Route>;
