/**
 * Everything that only a machine in a fleet needs. This is a separate chunk of the program, which a machine without a
 * fleet never loads.
 *
 * - this machine in the fleet: `open-machines.ts`; its requests to others: `ask-machine.ts`; its knowledge about them:
 *   `peers.ts`
 * - its answers to others: `answer-asks.ts`
 * - founding and joining: `become-member.ts`; the tasks of the founder: `founding.ts`
 */

export { foundFleet, joinFleet } from './become-member.ts';
export { createFounding } from './founding.ts';
export { membershipFiles } from './membership.ts';
export { openMachines } from './open-machines.ts';
