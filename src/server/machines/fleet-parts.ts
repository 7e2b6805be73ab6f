/**
 * Everything that only a machine of a fleet needs. It is one part of the program, which a machine alone never loads.
 *
 * - this machine in the fleet: `open-machines.ts`; what it asks of others: `ask-machine.ts`; what is known of them:
 *   `peers.ts`
 * - what it answers, and to whom: `answer-asks.ts`
 * - founding, joining: `become-member.ts`; what the founder does: `founding.ts`
 */

export { foundFleet, joinFleet } from './become-member.ts';
export { createFounding } from './founding.ts';
export { membershipFiles } from './membership.ts';
export { openMachines } from './open-machines.ts';
