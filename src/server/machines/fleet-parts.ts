/**
 * Everything that only a machine in a fleet needs. The build puts this into a separate chunk, which machines without a
 * fleet never load.
 *
 * - this machine's membership in the fleet: `open-machines.ts`
 * - requests to other machines: `ask-machine.ts`
 * - what this machine knows about the others: `peers.ts`
 * - answers to other machines' requests: `answer-asks.ts`
 * - founding or joining a fleet: `become-member.ts`
 * - the founder's tasks: `founding.ts`
 */

export { foundFleet, joinFleet } from './become-member.ts';
export { createFounding } from './founding.ts';
export { membershipFiles } from './membership.ts';
export { openMachines } from './open-machines.ts';
export { readSharedServer } from './shared-server-address.ts';
