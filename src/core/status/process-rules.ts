import type { ProcessEvidence } from './evidence.ts';
import { ALL_VERSIONS, type Rule } from './rule.ts';

/** What the operating system says: it ends all arguments. */
export const PROCESS_RULES: readonly Rule<ProcessEvidence>[] = [
  {
    id: 'process.ended',
    versions: ALL_VERSIONS,
    read: ({ alive, startedAt, endedAt }) =>
      alive
        ? null
        : { primary: 'dead', detail: null, evidence: 'the process has ended', since: endedAt ?? startedAt ?? 0 },
  },
];
