import type { PullRequest } from '../../protocol/index.ts';
import type { ForgeRepository } from './address.ts';

export interface ForgeOptions {
  /** the environment of the server itself */
  environment: Readonly<Record<string, string | undefined>>;
  /** aborted when the server ends, which also ends the forge's program */
  signal: AbortSignal;
  now(): number;
}

export interface NewRequest {
  head: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
}

/** Whether the user can reach a host through a forge's program. */
export type Access = 'granted' | 'no_login' | 'no_program';

/** A branch's open pull request, or null if there is none. */
export type Found = { access: 'granted'; request: PullRequest | null } | { access: Exclude<Access, 'granted'> };

/**
 * A kind of forge, reached through the program in which the user has logged in. Each function throws the catalogued
 * errors of that program: not found, not logged in, and failed.
 */
export interface Forge {
  find(repository: ForgeRepository, branch: string, options: ForgeOptions): Promise<Found>;
  /** Opens a pull request. @returns null if the branch already has an open pull request */
  create(repository: ForgeRepository, request: NewRequest, options: ForgeOptions): Promise<PullRequest | null>;
  /** Reads the state of a pull request and of its checks. */
  readState(repository: ForgeRepository, known: PullRequest, options: ForgeOptions): Promise<PullRequest>;
}
