import { setTimeout as delay } from 'node:timers/promises';
import { CatalogueError, EXIT, matchesState, type Session, type StateSelector } from '../protocol/index.ts';
import { commandFailure, isCommandOver, isNew } from './command-end.ts';
import { CommandError } from './command-error.ts';
import type { CliContext } from './context.ts';
import { isInterruptEarlier } from './earlier-interrupt.ts';

/** How often to ask the other machine, which costs one small request each time. */
const ASK_EVERY_MS = 500;
/** How long to wait for a machine that cannot be reached, for example because its server is restarting. */
const LOST_MACHINE_MS = 60_000;

export interface RemoteWait {
  /** the sessions to wait for, each as `machine/SESSION` or as the name of a session on this machine */
  slugs: readonly string[];
  selector: StateSelector;
  /** the state to wait for, as the user typed it; used in messages */
  state: string;
  isAny: boolean;
  timeoutSeconds: number | undefined;
  /** returns the error for a session that will not reach the state because its turn failed */
  failureOf(session: Session, selector: StateSelector): CommandError | null;
  /** whether the state is reached by the end of a turn */
  isEndOfTurn: boolean;
  onReached(session: Session): void;
}

/** A session on another machine does not tell what became of its prompts. */
function untold(error: unknown): null {
  if (error instanceof CatalogueError && error.code === 'not_over_fleet') return null;
  throw error;
}

/** Blocks until sessions, at least one of them on another machine, are in a given state. */
export async function waitRemote(context: CliContext, wait: RemoteWait): Promise<number> {
  const { io } = context;
  const client = await context.client();
  const pending = new Set(wait.slugs);
  const failures: CommandError[] = [];
  const deadline =
    wait.timeoutSeconds === undefined ? Number.POSITIVE_INFINITY : io.now() + wait.timeoutSeconds * 1_000;
  const reachedAt = new Map(wait.slugs.map((slug) => [slug, io.now()]));
  const interrupted = new AbortController();
  const stopListening = io.onInterrupt((code) => interrupted.abort(code));
  try {
    for (;;) {
      const dead: string[] = [];
      for (const slug of [...pending]) {
        const session = await client.call('getSession', { params: { slug } }).catch((error: unknown) => {
          const isLost = error instanceof CatalogueError && error.code === 'machine_unreachable';
          if (!isLost || io.now() - (reachedAt.get(slug) ?? 0) > LOST_MACHINE_MS) throw error;
          return null;
        });
        if (session === null) continue;
        reachedAt.set(slug, io.now());
        const failure = wait.failureOf(session, wait.selector);
        const isInterrupt = failure !== null && session.status.interrupted === true;
        const isEarlier = isInterrupt && (await isInterruptEarlier(client, slug));
        if (failure !== null && !isEarlier) {
          pending.delete(slug);
          failures.push(failure);
          wait.onReached(session);
          if (wait.isAny) throw failure;
          continue;
        }
        const isCommandEnd =
          wait.isEndOfTurn && isNew(session) && (await isCommandOver(client, slug).catch(untold)) === true;
        // It does not matter here whether a session is snoozed.
        const isReached = isCommandEnd || matchesState({ ...session, snoozed: null }, wait.selector);
        if (failure !== null || isReached) {
          pending.delete(slug);
          wait.onReached(session);
          const refused = wait.isEndOfTurn ? await commandFailure(client, session).catch(untold) : null;
          if (refused !== null) failures.push(refused);
          if (wait.isAny && refused !== null) throw refused;
          if (wait.isAny) return EXIT.done;
        } else if (session.status.primary === 'dead') dead.push(slug);
      }
      const [first] = dead;
      if (first !== undefined && (!wait.isAny || dead.length === pending.size)) {
        throw new CommandError(`${first} stopped before it reached the state ${wait.state}`, `cbos restart ${first}`);
      }
      if (pending.size === 0 && failures[0] !== undefined) throw failures[0];
      if (pending.size === 0) return EXIT.done;
      if (io.now() >= deadline) {
        const names = [...pending].join(', ');
        throw new CatalogueError(
          'timed_out',
          `${names} did not reach the state ${wait.state} within ${wait.timeoutSeconds} s`,
        );
      }
      await delay(Math.min(ASK_EVERY_MS, deadline - io.now()), undefined, { signal: interrupted.signal }).catch(
        () => undefined,
      );
      if (interrupted.signal.aborted) return Number(interrupted.signal.reason);
    }
  } finally {
    stopListening();
  }
}
