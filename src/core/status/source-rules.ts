import type { Evidence, HookEvidence, JsonEvidence, RegistryEvidence, SourceVerdict } from './evidence.ts';
import { HOOK_RULES } from './hooks/hook-rules.ts';
import { JSON_RULES } from './json/json-rules.ts';
import type { Millis } from './millis.ts';
import { PROCESS_RULES } from './process-rules.ts';
import { REGISTRY_RULES } from './registry/registry-rules.ts';
import type { Rule } from './rule.ts';

/** What a source says by its rules: the first that fits; null where none does. */
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

/** What the hooks say; null when none ever came. */
export function hookVerdict(hooks: HookEvidence): SourceVerdict | null {
  return hooks.lastAt === null ? null : readByRules('hook', HOOK_RULES, hooks);
}

/** What the registry says; null when there is no record or it says nothing. */
export function registryVerdict(registry: RegistryEvidence | null, startedAt: Millis | null): SourceVerdict | null {
  return registry === null ? null : readByRules('registry', REGISTRY_RULES, { registry, startedAt });
}

/** What the events of a JSON session say; null for a session in a terminal. */
export function jsonVerdict(json: JsonEvidence | undefined): SourceVerdict | null {
  return json === undefined ? null : readByRules('json', JSON_RULES, json);
}

/** What the operating system says; null while the process lives or is not known. */
export function processVerdict(process: Evidence['process']): SourceVerdict | null {
  return process === null ? null : readByRules('process', PROCESS_RULES, process);
}
