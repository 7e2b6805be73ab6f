import type { NatsLink } from '../../platform/nats/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { type AskOptions, ask } from './ask-machine.ts';
import type { Membership } from './membership.ts';
import type { RosterKeeper } from './roster-keeper.ts';

/** Tells the others that this machine is leaving, unless it is only a copy of a machine that stays. */
export async function leaveFleet(options: {
  isCopy: boolean;
  isFounder: boolean;
  /** null while this machine takes no part in the fleet */
  link: NatsLink | null;
  membership: Membership;
  keeper: RosterKeeper;
  askFounder(through: NatsLink): AskOptions;
}): Promise<{ told: boolean; isCopy: boolean }> {
  const { isCopy, isFounder, link, membership, keeper, askFounder } = options;
  if (isCopy) return { told: false, isCopy };
  if (isFounder) {
    // The founder's own NATS server ends with the fleet. A shared NATS server keeps running.
    if (membership.shared !== null) keeper.announce(link, []);
    await link?.flush();
    return { told: true, isCopy };
  }
  if (link === null) return { told: false, isCopy };
  const leaving = ask(askFounder(link), { kind: 'leave' });
  return { told: await leaving.then(() => true).catch(() => false), isCopy };
}

export const founderStays = (): CatalogueError =>
  new CatalogueError('not_founder', 'The founder cannot remove itself', { hint: '`cbos fleet leave` ends the fleet' });
