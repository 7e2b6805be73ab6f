import { CatalogueError, type TerminalPart } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/**
 * How long one request waits for output. It therefore takes up to this long to notice that a machine has disappeared.
 * While a session shows nothing new, one small request is sent in each such period.
 */
const WAIT_MS = 1_000;
/**
 * The first and the longest pause before a machine that cannot be reached is asked again. Each pause is twice as long
 * as the previous one.
 */
const [FIRST_RETRY_MS, LAST_RETRY_MS] = [200, 2_000];

export interface FollowTerminalOptions {
  client: Pick<Caller, 'call'>;
  /** `machine/SESSION`, or the name of a session on this machine */
  slug: string;
  /** whether the user has left the terminal */
  isLeft(): boolean;
  /** resolves after the given time, or as soon as the user leaves the terminal */
  pause(ms: number): Promise<void>;
  /**
   * Draws a part. The next part is requested only once this has resolved, so a slow terminal receives output more
   * slowly.
   */
  onPart(part: TerminalPart): Promise<void> | void;
  /**
   * Called when the other machine or this machine's own server does not answer. The terminal may then show outdated
   * content.
   */
  onLost(error: CatalogueError): void;
}

/**
 * Follows a session's terminal by requesting one part after another, each from where the previous part ended. After a
 * lost connection, it continues from the same place, so no output is lost or drawn twice. Resolves when the session has
 * stopped or the user has left the terminal.
 * @throws CatalogueError if repeating the request cannot help, such as not_allowed_there or no_such_session
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
 * The errors which mean that the other machine or this machine's server cannot be reached at the moment. A machine that
 * is running twice takes part again as soon as its copy has left the fleet.
 */
const LOSSES: ReadonlySet<string> = new Set(['machine_unreachable', 'machine_silent', 'machine_doubled', 'no_server']);

/** Reports whether repeating the request can help. */
export const isLoss = ({ code }: CatalogueError): boolean => LOSSES.has(code);
