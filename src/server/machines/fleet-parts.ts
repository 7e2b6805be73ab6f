/**
 * Everything that only a machine in a fleet needs. This is a separate chunk of the program, which a machine without a
 * fleet never loads.
 *
 * - this machine as a member of the fleet: `open-machines.ts`
 * - requests to other machines: `ask-machine.ts`
 * - what this machine knows about the others: `peers.ts`
 * - answers to other machines' requests: `answer-asks.ts`
 * - founding and joining: `become-member.ts`
 * - the founder's tasks: `founding.ts`
 */

export { foundFleet, joinFleet } from './become-member.ts';
export { createFounding } from './founding.ts';
export { membershipFiles } from './membership.ts';
export { openMachines } from './open-machines.ts';
