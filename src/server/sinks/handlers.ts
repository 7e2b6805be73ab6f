import type { SINK_ROUTES } from '../../protocol/index.ts';
import type { Handlers } from '../handlers.ts';
import type { Sinks } from './sinks.ts';

export function createSinkHandlers(sinks: Sinks): Pick<Handlers, keyof typeof SINK_ROUTES> {
  return {
    listSinks: () => sinks.list(),
    addSink: ({ body }) => sinks.add(body),
    removeSink: ({ params }) => sinks.remove(params.name),
    testSink: ({ params }) => sinks.test(params.name),
  };
}
