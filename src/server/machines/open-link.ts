import { type NatsLink, openNatsLink, openSharedLink } from '../../platform/nats/index.ts';
import { type Membership, wayTo } from './membership.ts';

/** Connects a member to its fleet's NATS server. */
export function openLinkOf(membership: Membership): Promise<NatsLink> {
  const { authority, id, seed, shared, founder } = membership;
  if (shared !== null) return openSharedLink({ server: shared, id, seed, founder });
  return openNatsLink({ ...wayTo(membership), authority, id, seed });
}
