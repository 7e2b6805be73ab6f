import type { Restoration } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/** How often to ask for the progress, in milliseconds. Restoring a session takes at least a second. */
export const RESTORATION_ASK_MS = 200;

export interface FollowOptions {
  client: Pick<Caller, 'call'>;
  /** the server's response to the request that started the restoration */
  begun: Restoration;
  /** waits for `RESTORATION_ASK_MS` */
  wait(): Promise<void>;
  onProgress(now: Restoration): void;
  /** reports whether nobody is interested in the progress any more; the restoration itself continues */
  isGone?(): boolean;
}

/**
 * Reports the progress of a restoration until it ends.
 * @returns how the restoration ended, or null if the server was restarted or another restoration has begun
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
