/** What becomes of tool calls and their waiting hooks without any hook reporting it. */

import type { HookEvidence, PendingTool } from '../evidence.ts';
import type { HookForm } from '../form-evidence.ts';
import type { Millis } from '../millis.ts';

/**
 * Why the hook of a form no longer waits: CBOS ended it, so that Claude Code opens the dialog of the form (`terminal`);
 * it has the answer (`answered`); or Claude Code ended it (`gone`).
 */
export type WaitEnd = 'terminal' | 'answered' | 'gone';

/**
 * Records that a hook is no longer waiting. Its dialog is now answered with keypresses, or has closed.
 * @param end what happened to a form, and when
 */
export function forgetWait(hooks: HookEvidence, id: string, end: { to: WaitEnd; at: Millis }): HookEvidence {
  const without = ({ wait, ...tool }: PendingTool): PendingTool =>
    wait === undefined || wait.id === id ? tool : { ...tool, wait };
  const forms = hooks.forms?.map(({ wait, ...form }): HookForm => {
    if (wait === undefined || wait !== id) return wait === undefined ? form : { ...form, wait };
    return leave(form, end);
  });
  return { ...hooks, tools: hooks.tools.map(without), ...(forms && { forms }) };
}

function leave(form: HookForm, { to, at }: { to: WaitEnd; at: Millis }): HookForm {
  if (to === 'terminal') return { ...form, form: { ...form.form, at_terminal: true }, queuedAt: at };
  return to === 'answered' ? { ...form, endedAt: at, toldAt: at } : { ...form, endedAt: at };
}

/** Returns the ids of all hooks that wait for a reply. */
export const openWaits = ({ tools, forms = [] }: HookEvidence): string[] => [
  ...tools.flatMap(({ wait }) => wait?.id ?? []),
  ...forms.flatMap(({ wait }) => wait ?? []),
];

/**
 * Records that Claude Code took the reply from a waiting hook. A call that was refused has ended, although no hook
 * reports that. A call that was allowed is running.
 */
export function settleCall(hooks: HookEvidence, id: string, isRefused: boolean): HookEvidence {
  const tools = hooks.tools.flatMap(({ wait, ...tool }): PendingTool[] => {
    if (wait === undefined || wait.id !== id) return wait === undefined ? [tool] : [{ ...tool, wait }];
    return isRefused ? [] : [{ ...tool, requestedAt: null }];
  });
  return { ...hooks, tools };
}

/**
 * Records that CBOS interrupted a turn with Esc: the calls that the conversation itself had announced have ended,
 * although no hook reports that. Subagents continue in the background.
 * @param at when CBOS began to press the key; newer calls belong to the next turn
 */
export function interruptCalls(hooks: HookEvidence, at: Millis): HookEvidence {
  const isInterrupted = (tool: PendingTool): boolean => tool.agent === null && tool.at <= at;
  const interrupted = hooks.tools.filter(isInterrupted).map(({ wait: _, ...tool }) => ({ ...tool, requestedAt: null }));
  if (interrupted.length === 0) return hooks;
  return { ...hooks, tools: hooks.tools.filter((tool) => !isInterrupted(tool)), interruptedTools: interrupted };
}
