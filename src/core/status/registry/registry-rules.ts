import type { Detail } from '../../../protocol/index.ts';
import type { RegistryEvidence } from '../evidence.ts';
import type { Millis } from '../millis.ts';
import type { Rule } from '../rule.ts';

/** The registry record, together with the time when the process began. */
export interface RegistryView {
  registry: RegistryEvidence;
  startedAt: Millis | null;
}

/** How long an idle registry record still means "never prompted" after a process has started. */
const FRESH_MS = 3_000;

/** The registry was seen in 2.1.150 and later; 2.1.50 has none. */
const VERSIONS = ['2.1.150', '2.1.329'] as const;

/** The words that Claude Code uses for what it is waiting for (2.1.150 to 2.1.329). */
const WAITING_FOR: readonly [RegExp, Detail][] = [
  [/permission/i, 'permission'],
  [/plan/i, 'plan'],
  [/input/i, 'question'],
  [/dialog/i, 'setup'],
];

const sinceOf = ({ statusUpdatedAt, readAt }: RegistryEvidence): Millis => statusUpdatedAt ?? readAt;

/**
 * Both words mean that the session is idle. `shell` means that a background shell is running while the prompt is
 * visible.
 */
const idleRule = (word: 'idle' | 'shell'): Rule<RegistryView> => ({
  id: `registry.${word}`,
  versions: VERSIONS,
  read: ({ registry, startedAt }) => {
    if (registry.status !== word) return null;
    const since = sinceOf(registry);
    const isFresh = startedAt !== null && since - startedAt < FRESH_MS;
    return { primary: 'idle', detail: isFresh ? 'ready' : 'waiting_input', evidence: word, since };
  },
});

/** The rules that read Claude Code's registry. No two of them match the same record. */
export const REGISTRY_RULES: readonly Rule<RegistryView>[] = [
  {
    id: 'registry.busy',
    versions: VERSIONS,
    read: ({ registry }) =>
      registry.status === 'busy'
        ? { primary: 'active', detail: 'thinking', evidence: 'busy', since: sinceOf(registry) }
        : null,
  },
  {
    id: 'registry.waiting',
    versions: VERSIONS,
    read: ({ registry }) => {
      if (registry.status !== 'waiting') return null;
      const evidence = registry.waitingFor ?? 'waiting';
      const detail = WAITING_FOR.find(([pattern]) => pattern.test(evidence))?.[1] ?? 'setup';
      return { primary: 'waiting', detail, evidence, since: sinceOf(registry) };
    },
  },
  idleRule('idle'),
  idleRule('shell'),
];
