import { CatalogueError, type TerminalPart } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/**
 * How long one request waits for output. A machine that is gone is noticed that much later, and while a session shows
 * nothing new, one small request is sent that often.
 */
const WAIT_MS = 1_000;
/** The pauses before asking a machine again that cannot be reached. Each is twice as long as the one before. */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [200, 2_000];

export interface FollowTerminalOptions {
  client: Pick<Caller, 'call'>;
  /** `machine/SESSION`, or a session of this machine */
  slug: string;
  /** whether the terminal was left */
  isLeft(): boolean;
  /** resolves after the time, or when the terminal is left */
  pause(ms: number): Promise<void>;
  /** Draws a part. The next one is asked for when this has resolved, so a slow terminal slows down the session's. */
  onPart(part: TerminalPart): Promise<void> | void;
  /** The machine, or the own server, does not answer. What is shown may be outdated. */
  onLost(error: CatalogueError): void;
}

/**
 * Follows a session's terminal by asking for one part after the other, each from where the previous one ended. After a
 * lost connection it continues there, so no output is lost or drawn twice. Resolves when the session has stopped, or
 * the terminal is left.
 * @throws CatalogueError if asking again cannot help, such as not_allowed_there or no_such_session
 */
export async function followTerminal(options: FollowTerminalOptions): Promise<'ended' | 'left'> {
  const { client, slug, isLeft } = options;
  let place: { from?: number; epoch?: number } = {};
  let retryMs = FIRST_RETRY_MS;
  while (!isLeft()) {
    const query = { ...place, ...(place.from === undefined ? {} : { wait_ms: WAIT_MS }) };
    const part = await client.call('terminal', { params: { slug }, query }).catch((error: unknown) => {
      if (error instanceof CatalogueError && isLoss(error)) return error;
      throw error;
    });
    if (isLeft()) break;
    if (part instanceof CatalogueError) {
      options.onLost(part);
      await options.pause(retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
      continue;
    }
    retryMs = FIRST_RETRY_MS;
    place = { from: part.offset, epoch: part.epoch };
    await options.onPart(part);
    if (part.ended && part.data === '') return 'ended';
  }
  return 'left';
}

/**
 * The other machine, or this one's server, cannot be reached now. A machine that runs twice takes part again as soon as
 * its copy has left.
 */
const LOSSES: ReadonlySet<string> = new Set(['machine_unreachable', 'machine_silent', 'machine_doubled', 'no_server']);

/** Reports whether asking again can help. */
export const isLoss = ({ code }: CatalogueError): boolean => LOSSES.has(code);
