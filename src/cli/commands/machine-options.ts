import { Option } from 'commander';
import { RIGHTS, type Right, type RouteInput } from '../../protocol/index.ts';
import type { CliContext } from '../context.ts';
import { type SharedServerFiles, sharedServerFields } from '../shared-server-files.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { readAllowed, readRights } from './machine-values.ts';

/** Options that several commands for the machines in a fleet have. */

/** @param machine the machine that the invitation admits, in words */
export function rightsOption(machine: string): Option {
  return new Option('--rights <rights>', `what ${machine} may do on the others: ${RIGHTS.join(', ')}`)
    .argParser(readRights)
    .default(['see'], 'see');
}

export function allowOption(place: 'here' | 'there'): Option {
  return new Option('--allow <rights>', `what the other machines may do ${place}, each within its own rights`)
    .argParser(readAllowed)
    .default(['see'], 'see');
}

export function sharedCredentialsOption(): Option {
  return new Option(
    '--credentials <file>',
    'for a fleet on a NATS server that exists already: the credentials for that server',
  );
}

export function authorityOption(): Option {
  return new Option(
    '--ca <file>',
    'for a NATS server with tls:// whose certificate is from an authority of your own: the certificate of that authority (PEM)',
  );
}

/** What a user decides about a machine that joins a fleet. */
export interface JoinOptions extends SharedServerFiles {
  allow: Right[];
  label?: string[];
  name?: string;
}

/**
 * Returns the request to join, except for the invitation.
 * @throws CommandError if a file for a shared NATS server cannot be read
 */
export async function joinRequest(
  context: CliContext,
  { allow, label, name, ...files }: JoinOptions,
): Promise<JoinRequest> {
  return {
    allow,
    ...withoutUndefined({ labels: label, name }),
    ...(await sharedServerFields(context, files)),
  };
}

export type JoinRequest = Omit<RouteInput<'joinFleet'>['body'], 'line'>;
