/**
 * A machine that wants something done asks for a ticket first. The ticket is good for one request, for a few seconds
 * of the owner's clock. So a request that was held up on its way, or is sent again, is never carried out: nobody has to
 * know what time it is elsewhere.
 */

/** Longer than a slow link needs between two messages, and shorter than a person takes to do it another way. */
const TICKET_MS = 5_000;
/** How many tickets a machine may hold at once. */
const MOST_TICKETS = 64;

export interface Tickets {
  /** null if the machine holds too many */
  issue(asker: string): string | null;
  /** Reports whether the ticket was good. It no longer is. */
  use(asker: string, ticket: string): boolean;
}

/** @param options.elapsed a monotonic clock in milliseconds @param options.makeName returns a text nobody can guess */
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
