import type { Evidence, HookEvidence, JsonEvidence, RegistryEvidence, SourceVerdict } from './evidence.ts';
import { HOOK_RULES } from './hooks/hook-rules.ts';
import { JSON_RULES } from './json/json-rules.ts';
import type { Millis } from './millis.ts';
import { PROCESS_RULES } from './process-rules.ts';
import { REGISTRY_RULES } from './registry/registry-rules.ts';
import type { Rule } from './rule.ts';

/** Returns the verdict of a source, or null if no rule matches. The first matching rule decides. */
export function readByRules<Source>(
  source: SourceVerdict['source'],
  rules: readonly Rule<Source>[],
  evidence: Source,
): SourceVerdict | null {
  for (const rule of rules) {
    const finding = rule.read(evidence);
    if (finding !== null) return { source, rule: rule.id, ...finding };
  }
  return null;
}

/** Returns what the hooks report, or null before the first hook. */
export function hookVerdict(hooks: HookEvidence): SourceVerdict | null {
  return hooks.lastAt === null ? null : readByRules('hook', HOOK_RULES, hooks);
}

/** Returns what the registry reports, or null if there is no record or no rule matches it. */
export function registryVerdict(registry: RegistryEvidence | null, startedAt: Millis | null): SourceVerdict | null {
  return registry === null ? null : readByRules('registry', REGISTRY_RULES, { registry, startedAt });
}

/** Returns what the events of a JSON session report, or null for a session in a terminal. */
export function jsonVerdict(json: JsonEvidence | undefined): SourceVerdict | null {
  return json === undefined ? null : readByRules('json', JSON_RULES, json);
}

/** Returns what the operating system reports, or null while the process is reachable or unknown. */
export function processVerdict(process: Evidence['process']): SourceVerdict | null {
  return process === null ? null : readByRules('process', PROCESS_RULES, process);
}
