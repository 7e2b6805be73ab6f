import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionLostError, UnreachableError } from '../client/index.ts';
import { CatalogueError, type Delivery, EXIT, hasFailed, isAsking, isReady, type Session } from '../protocol/index.ts';
import { deliveryLine } from '../text/delivery-text.ts';
import { CommandError } from './command-error.ts';
import type { CliContext } from './context.ts';
import { followStream } from './follow-stream.ts';
import { statusKey } from './view-changes.ts';

/**
 * How long a session must stay ready before its turn counts as over, if there is no other sign that the turn has ended.
 * A slash command may not start a turn at all, and a session is briefly ready between two queued prompts.
 */
const SETTLED_MS = 3_000;

/** How long it may take until CBOS has read how a session ended, and how often to ask. */
const END_MS = 3_000;
const ASK_AGAIN_MS = 100;
/** Matches the command that ends Claude Code. */
const EXIT_COMMAND = /^\/(?:exit|quit)\s*$/;

/** How long to wait for a lost server: longer than any restart takes. */
const LOST_SERVER_MS = 60_000;

export interface SendAndWait {
  slug: string;
  send(): Promise<Delivery>;
  timeoutSeconds?: number;
}

/** A session whose turn is over, or has come to a question. */
export interface EndedTurn {
  /** the session before the prompt was sent; null if it was not listed */
  before: Session | null;
  session: Session;
  /** the delivery of the prompt, as the server returned it at first, and as it returned it last */
  sent: Delivery;
  delivery: Delivery;
}

/**
 * Sends a prompt, and waits until the session is ready again, asks a question, or dies. It starts listening before it
 * sends the prompt, so that it does not miss even the shortest turn.
 * @returns the session before the prompt and at that moment, and the delivery as it was at first; null if the user
 *   interrupted the command
 * @throws CatalogueError any error that `send` throws, no_such_session, timed_out
 * @throws CommandError if the session has died, except by `/exit`, or was deleted
 */
export async function sendAndWait(
  context: CliContext,
  { slug, send, timeoutSeconds }: SendAndWait,
): Promise<EndedTurn | null> {
  const found: EndedTurn[] = [];
  /** the delivery as the server returned it at first, and as it returned it last */
  let sent: Delivery | null = null;
  let delivery: Delivery | null = null;
  let before: Session | null = null;
  let wasReady = false;
  let hasSent = false;
  /**
   * Whether Claude Code accepted the prompt during another turn, so that an end may be that turn's; null until it
   * matters
   */
  let isQueued: boolean | null = null;
  let settling: { key: string; timer: NodeJS.Timeout } | null = null;
  let isConfirming = false;
  let isLeaving = false;
  let isOver = false;
  /** the statuses of the delivery that the user was told about, because the prompt is still on its way */
  const said = new Set<Delivery['status']>();
  let onTimeout = (): void => undefined;

  const stopSettling = (): void => {
    clearTimeout(settling?.timer);
    settling = null;
  };

  try {
    const exitCode = await followStream(
      context,
      {
        giveUpAfterMs: LOST_SERVER_MS,
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
        onTimeout: () => onTimeout(),
      },
      (ending, connection) => {
        const done = (session: Session): void => {
          if (sent !== null && delivery !== null) found.push({ before, session, sent, delivery });
          ending.finish(EXIT.done);
        };
        /**
         * Ends the wait, unless Claude Code has not got the prompt yet: CBOS may hold it, Claude Code may take seconds
         * to read it on a busy machine, and a person may take it back.
         */
        const confirm = async (): Promise<void> => {
          const known = delivery;
          if (known === null || isConfirming) return;
          isConfirming = true;
          try {
            const client = await context.client();
            delivery = await client.call('getDelivery', { params: { slug, id: known.id } });
          } catch (error) {
            // The stream waits for a lost server, and ends the command if the server does not come back.
            if (!(error instanceof UnreachableError || error instanceof ConnectionLostError)) throw error;
            return;
          } finally {
            isConfirming = false;
          }
          if (isOver) return;
          stopSettling();
          const session = connection().view().get(slug);
          const hasEnded = session !== undefined && turnProgress(session, { delivery, wasReady }) !== 'running';
          if (hasEnded && (isAsking(session.status) || !(isOnItsWay(known) || isOnItsWay(delivery)))) {
            done(session);
            return;
          }
          if (hasEnded && isOnItsWay(delivery)) tellHeld(context, { delivery, session, said });
          look();
        };
        onTimeout = () => {
          ending.fail(
            new CatalogueError('timed_out', `${slug} was not done within ${timeoutSeconds} s; it is still working`),
          );
        };
        const look = (): void => {
          if (delivery === null) return;
          const session = connection().view().get(slug);
          let progress = turnProgress(session, { delivery, wasReady });
          if (progress === 'over' && session?.type === 'screen') {
            if (isQueued === null) {
              isQueued = true;
              readIsQueued(context, slug, delivery).then((found) => {
                isQueued = found;
                look();
              }, ending.fail);
            }
            if (isQueued) progress = 'maybe_over';
          }
          if (progress !== 'maybe_over') stopSettling();
          if (session === undefined || progress === 'ended') {
            const stopped = new CommandError(`${slug} stopped before its turn was over`, `cbos restart ${slug}`);
            if (session === undefined || !EXIT_COMMAND.test(delivery.text)) ending.fail(stopped);
            else if (!isLeaving) {
              isLeaving = true;
              readExit(context, slug).then((left) => (left === null ? ending.fail(stopped) : done(left)), ending.fail);
            }
          } else if (progress === 'over') {
            confirm().catch(ending.fail);
          } else if (progress === 'maybe_over' && settling?.key !== statusKey(session)) {
            stopSettling();
            const timer = setTimeout(() => void confirm().catch(ending.fail), SETTLED_MS);
            settling = { key: statusKey(session), timer };
          }
        };
        return {
          onFrame(frame, view) {
            if (!hasSent && frame.type === 'sessions') {
              hasSent = true;
              before = view().get(slug) ?? null;
              wasReady = before !== null && isReady(before.status);
              send().then((answer) => {
                sent = answer;
                delivery = answer;
                look();
              }, ending.fail);
              return;
            }
            look();
          },
        };
      },
    );
    context.exitCode = exitCode;
    return found[0] ?? null;
  } finally {
    isOver = true;
    stopSettling();
  }
}

/**
 * Tells the user once that Claude Code has not got the prompt yet.
 * @throws CommandError if it will not get the prompt until a person does something
 */
function tellHeld(
  { out }: CliContext,
  { delivery, session, said }: { delivery: Delivery; session: Session; said: Set<Delivery['status']> },
): void {
  const { slug, queue_stopped_at: stoppedAt } = session;
  if (delivery.status === 'queued' && stoppedAt != null) {
    throw new CommandError(
      `${slug}: the prompt is held, because an interrupt paused the queue`,
      `cbos queue resume ${slug}`,
    );
  }
  if (delivery.phase === 'taken_back') throw new CommandError(deliveryLine(delivery), `cbos attach ${slug}`);
  if (said.has(delivery.status)) return;
  said.add(delivery.status);
  out.notice(deliveryLine(delivery));
}

/** Reports whether Claude Code has not got the prompt, and may still get it. */
export const isOnItsWay = ({ status }: Delivery): boolean => status === 'queued' || status === 'sent';

/** Reports whether Claude Code accepted a prompt during another turn, such as the one that an agent's end began. */
async function readIsQueued(context: CliContext, slug: string, { created_at: since }: Delivery): Promise<boolean> {
  const client = await context.client();
  const { prompt } = (await client.call('explain', { params: { slug } })).evidence.hooks ?? {};
  return prompt != null && prompt.queued === true && prompt.at >= since;
}

/** Returns a session that has ended in Claude Code itself, as after `/exit`, or null if it has ended in another way. */
async function readExit(context: CliContext, slug: string): Promise<Session | null> {
  const client = await context.client();
  for (const from = performance.now(); ; await delay(ASK_AGAIN_MS)) {
    const session = await client.call('getSession', { params: { slug } });
    if (session.ended?.by === 'user') return session;
    if (performance.now() - from > END_MS) return null;
  }
}

/**
 * Returns how far the turn that a delivery started has got.
 * @param sent.wasReady whether the session was ready when the delivery was sent; only then does a later ready state
 * prove that this turn is over
 */
export function turnProgress(
  session: Session | undefined,
  sent: { delivery: Delivery; wasReady: boolean },
): 'running' | 'over' | 'maybe_over' | 'ended' {
  if (session === undefined || session.status.primary === 'dead') return 'ended';
  const { status } = session;
  if (!isReady(session.status)) {
    if (status.primary !== 'waiting') return 'running';
    // A hook reports a dialog before Claude Code draws it, so the dialog's options become known a moment later.
    return (status.question?.options.length ?? 0) > 0 ? 'over' : 'maybe_over';
  }
  // Both times are from the server's clock.
  const isLater = status.since > sent.delivery.created_at;
  // Until a slash command has printed something, the error of an earlier turn is the last thing on the screen.
  const isOwn = !hasFailed(status) || !sent.delivery.text.startsWith('/');
  return sent.wasReady && sent.delivery.status === 'delivered' && isLater && isOwn ? 'over' : 'maybe_over';
}
