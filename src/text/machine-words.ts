import type { MachineCause } from '../protocol/index.ts';

const WORDS: Readonly<Record<MachineCause, string>> = {
  unreachable: 'cannot be reached',
  version: 'runs a version of CBOS that does not work with this one',
  doubled: 'runs twice with the same key',
  refused: 'does not show its sessions',
};

/** Continues a sentence that begins with the name of a machine: why its sessions are not current. */
export const causeText = (cause: MachineCause | null): string => WORDS[cause ?? 'unreachable'];
