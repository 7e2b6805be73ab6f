import { describeTool, dialogKindOf } from '../asked-call.ts';
import type { HookEvidence, PendingTool } from '../evidence.ts';
import { askerOfTool, closingQuestion, evidenceOf } from '../question.ts';
import { ALL_VERSIONS, beginOf, endOf, type Rule, type RuleFinding } from '../rule.ts';
import { isAskedBeside, isTurnRunning } from './hooks.ts';
import { REFUSED } from './unreported.ts';

/**
 * Returns the call for which the hooks report an open permission request. Claude Code draws permission dialogs in the
 * order of the requests. Agents may request permissions in a different order from the one in which they announced their
 * calls (2.1.330).
 */
export function requestedTool({ tools }: Pick<HookEvidence, 'tools'>): PendingTool | null {
  return tools.reduce<PendingTool | null>((first, tool) => {
    if (tool.requestedAt === null) return first;
    return first?.requestedAt == null || tool.requestedAt < first.requestedAt ? tool : first;
  }, null);
}

/** Returns the prompt that Claude Code is working on, or null while no turn is running. */
const runningPrompt = (hooks: HookEvidence): HookEvidence['prompt'] => (isTurnRunning(hooks) ? hooks.prompt : null);

/** Returns the end of the last turn, or null while a turn is running. */
const ended = (hooks: HookEvidence): HookEvidence['turnEnd'] => (isTurnRunning(hooks) ? null : hooks.turnEnd);

function readEnd(hooks: HookEvidence, event: string): RuleFinding | null {
  const end = ended(hooks);
  if (end === null || end.event !== event) return null;
  const evidence = endOf(end.message ?? '');
  return { primary: 'idle', detail: 'waiting_input', evidence, since: end.at };
}

/** The rules that read the hooks, strongest first. */
export const HOOK_RULES: readonly Rule<HookEvidence>[] = [
  {
    id: 'hook.PreCompact',
    versions: ALL_VERSIONS,
    read: ({ compactingSince }) =>
      compactingSince === null
        ? null
        : { primary: 'active', detail: 'compacting', evidence: 'compacting', since: compactingSince },
  },
  {
    id: 'hook.PermissionRequest',
    versions: ['2.0.77', '2.1.150', '2.1.329'],
    read: (hooks) => {
      const tools = runningPrompt(hooks) === null ? hooks.tools.filter(isAskedBeside) : hooks.tools;
      const asked = requestedTool({ tools });
      if (asked?.requestedAt == null) return null;
      const detail = dialogKindOf(asked.name);
      const asker = askerOfTool(asked);
      const evidence = evidenceOf(asker, describeTool(asked), runningPrompt(hooks) !== null);
      return { primary: 'waiting', detail, evidence, since: asked.requestedAt };
    },
  },
  {
    id: 'hook.PreToolUse',
    versions: ALL_VERSIONS,
    read: (hooks) => {
      const prompt = runningPrompt(hooks);
      const tool = hooks.tools.at(-1);
      if (prompt === null || tool === undefined || tool.at < prompt.at) return null;
      return { primary: 'active', detail: 'using_tools', evidence: describeTool(tool), since: tool.at };
    },
  },
  {
    id: 'hook.PostToolUse',
    versions: ALL_VERSIONS,
    read: (hooks) => {
      const prompt = runningPrompt(hooks);
      if (prompt === null || hooks.toolEndedAt === null || hooks.toolEndedAt <= prompt.at) return null;
      return { primary: 'active', detail: 'thinking', evidence: 'a tool call ended', since: hooks.toolEndedAt };
    },
  },
  {
    id: 'hook.UserPromptSubmit',
    versions: ALL_VERSIONS,
    read: (hooks) => {
      const prompt = runningPrompt(hooks);
      if (prompt === null) return null;
      const evidence = beginOf(prompt.text);
      return { primary: 'active', detail: 'thinking', evidence, since: prompt.at };
    },
  },
  {
    // No hook reports this. The transcript reports it, and refusePrompt adds it to what the hooks report.
    id: 'hook.UserPromptSubmit.refused',
    versions: ['2.1.330'],
    read: (hooks) => {
      const end = ended(hooks);
      if (end?.event !== REFUSED) return null;
      const evidence = beginOf((end.error ?? '').replaceAll(/\s+/g, ' '));
      return { primary: 'idle', detail: 'error', evidence, since: end.at };
    },
  },
  {
    id: 'hook.StopFailure',
    versions: ['2.1.150', '2.1.329'],
    read: (hooks) => {
      const end = ended(hooks);
      if (end === null || end.event === REFUSED || end.error === null) return null;
      const evidence = [end.error, end.message].filter((part) => part !== null && part !== '').join(': ');
      return { primary: 'idle', detail: 'error', evidence: beginOf(evidence), since: end.at };
    },
  },
  {
    id: 'hook.Stop.closing',
    versions: ALL_VERSIONS,
    read: (hooks) => {
      const end = ended(hooks);
      const question = closingQuestion(end?.message ?? null);
      if (end === null || question === null) return null;
      return { primary: 'waiting', detail: 'question', evidence: question, since: end.at };
    },
  },
  { id: 'hook.Stop', versions: ALL_VERSIONS, read: (hooks) => readEnd(hooks, 'Stop') },
  {
    // This hook fires after 60 s at an idle prompt. After an interrupt, no other hook reports the end of the turn.
    id: 'hook.Notification',
    versions: ALL_VERSIONS,
    read: (hooks) => readEnd(hooks, 'Notification'),
  },
  {
    id: 'hook.SessionStart',
    versions: ALL_VERSIONS,
    read: ({ started }) => {
      if (started === null) return null;
      const detail = started.source === 'resume' ? 'waiting_input' : 'ready';
      return { primary: 'idle', detail, evidence: started.source, since: started.at };
    },
  },
];
