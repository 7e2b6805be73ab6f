import type { Handlers } from '../handlers.ts';
import type { Push } from './push.ts';

export function createPushHandlers(push: Push): Pick<Handlers, 'pushKey' | 'subscribePush' | 'unsubscribePush'> {
  return {
    pushKey: () => ({ public_key: push.publicKey() }),
    subscribePush: ({ body }) => {
      push.subscribe(body);
      return { status: 'subscribed' };
    },
    unsubscribePush: ({ body }) => {
      push.unsubscribe(body.endpoint);
      return { status: 'unsubscribed' };
    },
  };
}
