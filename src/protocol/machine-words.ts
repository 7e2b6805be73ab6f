import { isSlug } from './names.ts';

/** The rights that a machine in a fleet may have over the sessions on the others, from the least to the most. */
export const RIGHTS = ['see', 'answer', 'type', 'launch', 'end'] as const;
export type Right = (typeof RIGHTS)[number];

/** Matches the name of a machine in a fleet, which is also the first part of `machine/SESSION`. */
export const MACHINE_NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** A session on another machine, as people write it: `machine/SESSION`. */
export interface RemoteName {
  machine: string;
  slug: string;
}

/** Returns the parts of `machine/SESSION`, or null if the text cannot be one, such as `../x`. */
export function splitRemoteName(text: string): RemoteName | null {
  const [machine = '', slug = '', ...rest] = text.split('/');
  return MACHINE_NAME_PATTERN.test(machine) && isSlug(slug) && rest.length === 0 ? { machine, slug } : null;
}

/**
 * The requests that one machine may send to another. `src/core/machines/rights.ts` defines the rights that each one
 * requires.
 */
export const MACHINE_CALLS = [
  'listSessions',
  'getSession',
  'buffer',
  'history',
  'lastResponse',
  'search',
  'answer',
  'send',
  'interrupt',
  'restartSession',
  'killSession',
] as const;
export type MachineCallName = (typeof MACHINE_CALLS)[number];
