import type { Restoration } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/** How often to ask for the progress, in milliseconds. Restoring a session takes a second or more. */
export const RESTORATION_ASK_MS = 200;

export interface FollowOptions {
  client: Pick<Caller, 'call'>;
  /** the answer to the request that started the restoration */
  begun: Restoration;
  /** resolves after `RESTORATION_ASK_MS` */
  wait(): Promise<void>;
  onProgress(now: Restoration): void;
  /** whether nobody is looking any more; the restoration itself continues */
  isGone?(): boolean;
}

/**
 * Reports the progress of a restoration until it is over.
 * @returns how it ended, or null if the server was restarted, or if another restoration has begun
 */
export async function followRestoration(options: FollowOptions): Promise<Restoration | null> {
  const { client, begun, wait, onProgress, isGone = () => false } = options;
  for (let now = begun; ; now = await client.call('restoration')) {
    if (now.id !== begun.id) return null;
    if (isGone()) return now;
    onProgress(now);
    if (now.state !== 'running') return now;
    await wait();
  }
}
