/**
 * Before a machine sends a request that changes something, it asks the owner for a ticket. The ticket is valid for one
 * request and for a few seconds by the owner's clock. A delayed request, or a second copy of one, is therefore never
 * carried out, and no machine needs to know the time on another one.
 */

/**
 * How long a ticket is valid. This is longer than a slow link takes between two messages, and shorter than a user would
 * take to do the same thing another way.
 */
const TICKET_MS = 5_000;
/** How many tickets a machine may hold at once. */
const MOST_TICKETS = 64;

export interface Tickets {
  /** null if the machine holds too many */
  issue(asker: string): string | null;
  /** Uses up a ticket, and reports whether the ticket was valid. */
  use(asker: string, ticket: string): boolean;
}

/**
 * @param options.elapsed a monotonic clock in milliseconds @param options.makeName returns a string that no one can
 * guess
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
