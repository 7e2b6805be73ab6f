import {
  type BroadcastResult,
  CatalogueError,
  type MachineSessions,
  type RouteInput,
  type Session,
} from '../protocol/index.ts';
import { causeText } from '../text/machine-words.ts';
import type { CliContext } from './context.ts';

/** How many sessions on other machines get the prompt at a time. Each machine answers many more requests at once. */
const MOST_AT_ONCE = 8;

/**
 * Returns the sessions on the other machines as `machine/SESSION`, as far as a prompt can be sent to them now. Reports
 * the machines that are left out, and why.
 * @throws CatalogueError no_fleet
 */
export async function farSessions({ client, out }: CliContext): Promise<Session[]> {
  const machines = await (await client()).call('fleetSessions');
  return machines.flatMap((machine) => {
    if (machine.is_self) return [];
    const why = leftOut(machine);
    if (why === null) return machine.sessions.map((one) => ({ ...one, slug: `${machine.machine}/${one.slug}` }));
    out.notice(`${machine.machine} ${why}; its sessions are left out`);
    return [];
  });
}

function leftOut({ reachable, cause, may }: MachineSessions): string | null {
  if (!reachable) return causeText(cause);
  return may.includes('type') ? null : 'does not let this machine type';
}

/** Sends the prompt to each of these sessions on other machines. Each owner decides whether to allow it. */
export async function sendFar(
  { client }: CliContext,
  slugs: readonly string[],
  body: RouteInput<'send'>['body'],
): Promise<BroadcastResult[]> {
  const caller = await client();
  const results: BroadcastResult[] = [];
  const waiting = [...slugs.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, session] = next;
      results[at] = await caller.call('send', { params: { slug: session }, body }).then(
        (delivery) => ({ session, delivery }),
        (error: unknown) => {
          if (!(error instanceof CatalogueError)) throw error;
          return { session, error: error.toBody() };
        },
      );
    }
  };
  await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
  return results;
}
