import { Answer, type Delivery, type StreamCommand } from '../../protocol/index.ts';
import type { Sessions } from '../sessions.ts';
import { readFrame } from './read-frame.ts';

/** A client's command that is answered with a result. */
export type RequestCommand = Extract<StreamCommand, { type: 'send' | 'answer' | 'interrupt' | 'invoke' }>;

type Request = (sessions: Sessions) => Promise<{ delivery?: Delivery; invocation_id?: string }>;

/**
 * Returns what a command does to the sessions.
 * @throws CatalogueError invalid_request
 */
export function requestOf(command: RequestCommand): Request {
  switch (command.type) {
    case 'send': {
      const { type: _, session, ...request } = command;
      return async (sessions) => ({ delivery: await sessions.send(session, request) });
    }
    case 'answer': {
      const { type: _, session, ...rest } = command;
      const answer = readFrame(Answer, JSON.stringify(rest));
      return async (sessions) => {
        await sessions.answer(session, answer);
        return {};
      };
    }
    case 'interrupt':
      return async (sessions) => {
        await sessions.interrupt(command.session);
        return {};
      };
    case 'invoke': {
      const { type: _, session, ...request } = command;
      return (sessions) => sessions.invoke(session, request);
    }
  }
}
