/**
 * The user's own ssh program, with the user's configuration and keys.
 *
 * - the arguments: `ssh-arguments.ts`
 * - a running ssh: `ssh-process.ts`
 * - a conversation with a program on the other machine: `open-ssh.ts`
 * - a tunnel from the other machine to this one: `open-tunnel.ts`
 */

export * from './open-ssh.ts';
export * from './open-tunnel.ts';
export * from './ssh-arguments.ts';
export * from './ssh-process.ts';
