import type { Member, Right, Tunnel } from '../../protocol/index.ts';

/**
 * An invitation, as the founder stores it. The founder stores only the public key, so no one can join by reading the
 * book.
 */
export interface OpenInvitation {
  id: string;
  rights: readonly Right[];
  /** when the invitation expires, in Unix milliseconds, by the founder's clock */
  expiresAt: number;
}

/** A tunnel belongs to an invitation, and then to the machine that the invitation admitted. */
export interface OwnedTunnel extends Tunnel {
  /** the id of the invitation or of the member */
  owner: string;
}

/** Everything that a founder needs to decide which machines to admit. */
export interface FounderBook {
  members: readonly Member[];
  invitations: readonly OpenInvitation[];
  tunnels: readonly OwnedTunnel[];
}

export type AdmissionResult =
  | { outcome: 'admitted'; book: FounderBook; member: Member }
  | { outcome: 'refused'; because: 'invalid_invitation' | 'machine_name_taken' };

/** The maximum size of a fleet. Each member adds about 300 bytes to the NATS server's configuration. */
const MOST_MEMBERS = 1_000;

/** Removes the invitation from the book and adds the machine in a single step. */
export function admit(
  book: FounderBook,
  asked: { invitation: string; id: string; name: string; now: number },
): AdmissionResult {
  const invitation = book.invitations.find(({ id }) => id === asked.invitation);
  if (invitation === undefined || invitation.expiresAt <= asked.now) {
    return { outcome: 'refused', because: 'invalid_invitation' };
  }
  // Without this check, a machine that is already in the fleet could gain rights through an invitation meant for
  // another machine.
  if (book.members.length >= MOST_MEMBERS || book.members.some(({ id }) => id === asked.id)) {
    return { outcome: 'refused', because: 'invalid_invitation' };
  }
  if (book.members.some(({ name }) => name === asked.name))
    return { outcome: 'refused', because: 'machine_name_taken' };
  const member: Member = { id: asked.id, name: asked.name, rights: [...invitation.rights] };
  return {
    outcome: 'admitted',
    member,
    book: {
      members: [...book.members, member],
      invitations: book.invitations.filter((one) => one !== invitation),
      tunnels: book.tunnels.map((tunnel) =>
        tunnel.owner === invitation.id ? { ...tunnel, owner: member.id } : tunnel,
      ),
    },
  };
}

/** Returns the book with a new name for a member, or null if the name is taken or the member is unknown. */
export function withName(book: FounderBook, id: string, name: string): FounderBook | null {
  const isTaken = book.members.some((member) => member.name === name && member.id !== id);
  if (isTaken || !book.members.some((member) => member.id === id)) return null;
  return { ...book, members: book.members.map((member) => (member.id === id ? { ...member, name } : member)) };
}

export function withoutMember(book: FounderBook, id: string): FounderBook {
  return withoutTunnels({ ...book, members: book.members.filter((member) => member.id !== id) });
}

export function withoutInvitation(book: FounderBook, id: string): FounderBook {
  return withoutTunnels({ ...book, invitations: book.invitations.filter((invitation) => invitation.id !== id) });
}

/** Returns the same book object if nothing in it has expired. */
export function withoutExpired(book: FounderBook, now: number): FounderBook {
  const invitations = book.invitations.filter(({ expiresAt }) => expiresAt > now);
  return invitations.length === book.invitations.length ? book : withoutTunnels({ ...book, invitations });
}

/** Removes the tunnels whose owner is gone. */
function withoutTunnels(book: FounderBook): FounderBook {
  const owners = new Set([...book.members, ...book.invitations].map(({ id }) => id));
  return { ...book, tunnels: book.tunnels.filter(({ owner }) => owners.has(owner)) };
}
