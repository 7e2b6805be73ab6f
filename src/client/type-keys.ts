import { CatalogueError } from '../protocol/index.ts';
import type { Caller } from './caller.ts';
import { isLoss } from './follow-terminal.ts';

/** How many characters may wait while earlier keys are being sent. Further characters are dropped. */
const MOST_WAITING = 1_000_000;

/** Sends keys to a session on another machine. */
export interface KeySender {
  type(keys: string): void;
}

/**
 * Sends keys in order. Keys that are typed while earlier keys are being sent are then sent together. If the machine
 * cannot be reached, the waiting keys are dropped, so that they are not typed later into a screen that the user has not
 * seen.
 */
export function createKeySender(options: {
  client: Pick<Caller, 'call'>;
  slug: string;
  /**
   * called when keys were not typed or may not have been; the error says why, and is null if too many keys were waiting
   */
  onFailed(error: CatalogueError | null): void;
  /** called with any error that is not in the catalogue */
  onBroken(error: unknown): void;
}): KeySender {
  const { client, slug } = options;
  let waiting = '';
  let isSending = false;

  async function send(): Promise<void> {
    while (waiting !== '') {
      const keys = waiting;
      waiting = '';
      try {
        await client.call('keys', { params: { slug }, body: { keys } });
      } catch (error) {
        if (!(error instanceof CatalogueError)) throw error;
        if (isLoss(error)) waiting = '';
        options.onFailed(error);
      }
    }
  }

  return {
    type: (keys) => {
      if (waiting.length + keys.length > MOST_WAITING) {
        options.onFailed(null);
        return;
      }
      waiting += keys;
      if (isSending) return;
      isSending = true;
      void send()
        .catch(options.onBroken)
        .finally(() => {
          isSending = false;
        });
    },
  };
}
