import type { MachineCause } from '../protocol/index.ts';

const WORDS: Readonly<Record<MachineCause, string>> = {
  unreachable: 'cannot be reached',
  version: 'runs a version of CBOS that does not work with this one',
  doubled: 'runs twice with the same key',
  refused: 'does not show its sessions',
};

/** Returns the rest of a sentence that begins with the name of a machine and says why its sessions are not current. */
export const causeText = (cause: MachineCause | null): string => WORDS[cause ?? 'unreachable'];
