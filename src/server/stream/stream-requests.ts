import { Answer, type Delivery, type StreamCommand } from '../../protocol/index.ts';
import type { Rights } from '../auth/session-rights.ts';
import type { Sessions } from '../sessions.ts';
import { readFrame } from './read-frame.ts';

/** A client's command that is answered with a result. */
export type RequestCommand = Extract<StreamCommand, { type: 'send' | 'answer' | 'interrupt' | 'invoke' }>;

type Request = (sessions: Sessions, rights: Rights) => Promise<{ delivery?: Delivery; invocation_id?: string }>;

/**
 * Returns what a command does to the sessions. The result throws `inside_session` if the client may not do it.
 * @throws CatalogueError invalid_request
 */
export function requestOf(command: RequestCommand): Request {
  if (command.type === 'send') {
    const { type, session, ...prompt } = command;
    return async (sessions, rights) => ({ delivery: await sessions.send(session, rights.signed(type, prompt)) });
  }
  const request = personalRequestOf(command);
  return async (sessions, rights) => {
    rights.requireFull(command.type);
    return request(sessions);
  };
}

function personalRequestOf(
  command: Exclude<RequestCommand, { type: 'send' }>,
): (sessions: Sessions) => ReturnType<Request> {
  switch (command.type) {
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
