import { isSlug } from './names.ts';

/** The rights that a machine in a fleet can have over the sessions on other machines, from least to most powerful. */
export const RIGHTS = ['see', 'answer', 'type', 'launch', 'end'] as const;
export type Right = (typeof RIGHTS)[number];

/** Matches the name of a machine in a fleet, which is also the first part of `machine/SESSION`. */
export const MACHINE_NAME_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Matches one of a machine's labels, which say what it has: `gpu`, `linux`. */
export const MACHINE_LABEL_PATTERN = /^[a-z0-9][a-z0-9._-]{0,31}$/;

/**
 * Matches what may be passed to ssh as a destination: `[USER@]HOST`, a host from ssh's configuration, or `ssh://…`. An
 * option, a space and everything that a shell acts on is excluded.
 */
export const SSH_DESTINATION_PATTERN = /^[A-Za-z0-9_[][A-Za-z0-9_.:@%+[\]/-]{0,254}$/;

/** Matches a session on another machine, written as `machine/SESSION`. */
export interface RemoteName {
  machine: string;
  slug: string;
}

/** Splits `machine/SESSION` into its parts. Returns null if the text, such as `../x`, does not have this form. */
export function splitRemoteName(text: string): RemoteName | null {
  const [machine = '', slug = '', ...rest] = text.split('/');
  return MACHINE_NAME_PATTERN.test(machine) && isSlug(slug) && rest.length === 0 ? { machine, slug } : null;
}

/**
 * Why a machine's list of sessions is not current: the machine does not answer, its version is too different from ours,
 * two servers are running with its key, or it refuses to answer.
 */
export const MACHINE_CAUSES = ['unreachable', 'version', 'doubled', 'refused'] as const;
export type MachineCause = (typeof MACHINE_CAUSES)[number];
