/**
 * Before a machine sends a request that changes something, it asks the owner for a ticket. A ticket is valid for one
 * request, and only for a few seconds by the owner's clock. Therefore, the owner never carries out a delayed request or
 * a second copy of one, and no machine needs to know the time on another machine.
 */

/**
 * How long a ticket is valid. This is longer than a slow link takes between two messages, and shorter than a user would
 * take to achieve the same thing in another way.
 */
const TICKET_MS = 5_000;
/** How many tickets a machine may hold at the same time. */
const MOST_TICKETS = 64;

export interface Tickets {
  /** returns null if the machine already holds too many tickets */
  issue(asker: string): string | null;
  /** Uses up a ticket and reports whether it was valid. */
  use(asker: string, ticket: string): boolean;
}

/**
 * @param options.elapsed returns milliseconds from a monotonic clock @param options.makeName returns a string that no
 * one can guess
 */
export function createTickets(options: { elapsed(): number; makeName(): string }): Tickets {
  const issued = new Map<string, Map<string, number>>();
  const heldBy = (asker: string): Map<string, number> => {
    const held = issued.get(asker) ?? new Map<string, number>();
    for (const [ticket, until] of held) if (until <= options.elapsed()) held.delete(ticket);
    issued.set(asker, held);
    return held;
  };
  return {
    issue: (asker) => {
      const held = heldBy(asker);
      if (held.size >= MOST_TICKETS) return null;
      const ticket = options.makeName();
      held.set(ticket, options.elapsed() + TICKET_MS);
      return ticket;
    },
    use: (asker, ticket) => heldBy(asker).delete(ticket),
  };
}
