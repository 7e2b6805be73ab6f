import type { Detail, Primary } from '../../protocol/index.ts';
import type { Evidence, HookEvidence, Millis, PendingTool, RegistryEvidence, SourceVerdict } from './evidence.ts';
import { isTurnRunning } from './hooks.ts';
import { closingQuestion, describeTool, dialogKindOf } from './question.ts';

/** How long after its process's start a registry record that says idle still means "never prompted". */
const FRESH_MS = 3_000;

/** The call that a person is asked about, as hooks know: the one asked for first. */
export function requestedTool(hooks: HookEvidence): PendingTool | null {
  return hooks.tools.find((tool) => tool.requestedAt !== null) ?? null;
}

const verdict = (
  source: SourceVerdict['source'],
  said: [Exclude<Primary, 'stuck'> | null, Detail | null],
  because: { rule: string; evidence: string; since: Millis },
): SourceVerdict => ({ source, primary: said[0], detail: said[1], ...because });

/** What the hooks say; null when none ever came. */
export function hookVerdict(hooks: HookEvidence): SourceVerdict | null {
  if (hooks.lastAt === null) return null;
  if (hooks.compactingSince !== null) {
    const because = { rule: 'hook.PreCompact', evidence: 'compacting', since: hooks.compactingSince };
    return verdict('hook', ['active', 'compacting'], because);
  }
  if (isTurnRunning(hooks) && hooks.prompt !== null) return runningVerdict(hooks, hooks.prompt);
  if (hooks.turnEnd !== null) return endedVerdict(hooks.turnEnd);
  if (hooks.started === null) return null;
  const { at, source } = hooks.started;
  const detail = source === 'resume' ? 'waiting_input' : 'ready';
  return verdict('hook', ['idle', detail], { rule: 'hook.SessionStart', evidence: source, since: at });
}

function runningVerdict(hooks: HookEvidence, prompt: { at: Millis; text: string }): SourceVerdict {
  const asked = requestedTool(hooks);
  if (asked?.requestedAt != null) {
    const because = { rule: 'hook.PermissionRequest', evidence: describeTool(asked), since: asked.requestedAt };
    return verdict('hook', ['waiting', dialogKindOf(asked.name)], because);
  }
  const tool = hooks.tools.at(-1);
  if (tool !== undefined && tool.at >= prompt.at) {
    const because = { rule: 'hook.PreToolUse', evidence: describeTool(tool), since: tool.at };
    return verdict('hook', ['active', 'using_tools'], because);
  }
  if (hooks.toolEndedAt !== null && hooks.toolEndedAt > prompt.at) {
    const because = { rule: 'hook.PostToolUse', evidence: 'a tool call ended', since: hooks.toolEndedAt };
    return verdict('hook', ['active', 'thinking'], because);
  }
  const because = { rule: 'hook.UserPromptSubmit', evidence: prompt.text.slice(0, 200), since: prompt.at };
  return verdict('hook', ['active', 'thinking'], because);
}

function endedVerdict(end: NonNullable<HookEvidence['turnEnd']>): SourceVerdict {
  const rule = `hook.${end.event}`;
  if (end.error !== null) {
    const evidence = [end.error, end.message].filter((part) => part !== null && part !== '').join(': ');
    return verdict('hook', ['idle', 'error'], { rule, evidence: evidence.slice(0, 200), since: end.at });
  }
  const question = closingQuestion(end.message);
  if (question !== null) {
    return verdict('hook', ['waiting', 'question'], { rule: 'hook.Stop.closing', evidence: question, since: end.at });
  }
  return verdict('hook', ['idle', 'waiting_input'], { rule, evidence: (end.message ?? '').slice(-200), since: end.at });
}

/** Claude Code's words for what it waits for, 2.1.150 to 2.1.329. */
const WAITING_FOR: readonly [RegExp, Detail][] = [
  [/permission/i, 'permission'],
  [/plan/i, 'plan'],
  [/input/i, 'question'],
  [/dialog/i, 'setup'],
];

/** What the registry says; null when there is no record or it says nothing. */
export function registryVerdict(registry: RegistryEvidence | null, startedAt: Millis | null): SourceVerdict | null {
  if (registry === null || registry.status === null) return null;
  const since = registry.statusUpdatedAt ?? registry.readAt;
  const rule = `registry.${registry.status}`;
  switch (registry.status) {
    case 'busy':
      return verdict('registry', ['active', 'thinking'], { rule, evidence: 'busy', since });
    case 'waiting': {
      const evidence = registry.waitingFor ?? 'waiting';
      const detail = WAITING_FOR.find(([pattern]) => pattern.test(evidence))?.[1] ?? 'setup';
      return verdict('registry', ['waiting', detail], { rule, evidence, since });
    }
    case 'idle':
    case 'shell': {
      const isFresh = startedAt !== null && since - startedAt < FRESH_MS;
      return verdict('registry', ['idle', isFresh ? 'ready' : 'waiting_input'], {
        rule,
        evidence: registry.status,
        since,
      });
    }
  }
}

/** What the operating system says; null while the process lives or is not known. */
export function processVerdict(process: Evidence['process']): SourceVerdict | null {
  if (process === null || process.alive) return null;
  const since = process.endedAt ?? process.startedAt ?? 0;
  return verdict('process', ['dead', null], { rule: 'process.ended', evidence: 'the process has ended', since });
}
