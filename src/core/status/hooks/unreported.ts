/** What becomes of tool calls and their waiting hooks without any hook reporting it. */

import { refusalNote } from '../../../protocol/index.ts';
import { squeeze } from '../asked-call.ts';
import type { HookEvidence, PendingTool } from '../evidence.ts';
import type { HookForm } from '../form-evidence.ts';
import type { Millis } from '../millis.ts';
import { isTurnRunning } from './hooks.ts';

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
  const told = end.to === 'gone' ? whoseWasTold(hooks.forms ?? [], id) : null;
  const forms = hooks.forms?.map(({ wait, ...form }): HookForm => {
    if (wait === undefined) return form;
    if (wait === id) return leave(told === null ? form : { ...form, toldAt: told.toldAt }, end);
    return told?.wait === wait ? withoutToldAt({ ...form, wait }) : { ...form, wait };
  });
  return { ...hooks, tools: hooks.tools.map(without), ...(forms && { forms }) };
}

/**
 * Returns the waiting form to which the notification about the end of this form was attributed, or null if there is
 * none. The notification names only the server, and the form whose hook is gone is the one that the server cancelled.
 */
function whoseWasTold(forms: readonly HookForm[], id: string): (HookForm & { wait: string; toldAt: Millis }) | null {
  const gone = forms.find(({ wait }) => wait === id);
  if (gone === undefined || gone.toldAt !== undefined) return null;
  const isTold = (form: HookForm): form is HookForm & { wait: string; toldAt: Millis } =>
    form.wait !== undefined && form.toldAt !== undefined && form.form.server === gone.form.server;
  return forms.find(isTold) ?? null;
}

const withoutToldAt = ({ toldAt: _, ...form }: HookForm): HookForm => form;

function leave(form: HookForm, { to, at }: { to: WaitEnd; at: Millis }): HookForm {
  // Claude Code has reported the end of the form, so no dialog follows.
  if (to === 'terminal' && form.toldAt !== undefined) return { ...form, endedAt: at };
  if (to === 'terminal') return { ...form, form: { ...form.form, at_terminal: true }, queuedAt: at };
  return to === 'answered' ? { ...form, endedAt: at, toldAt: at } : { ...form, endedAt: at, supposed: 'gone' };
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

/** The event that ends the turn of a refused prompt. */
export const REFUSED = 'UserPromptSubmit';
/**
 * How long before the hook of CBOS a refusal may have been written. All hooks of a prompt run at the same time, and the
 * one that refuses it may be faster.
 */
const TOGETHER_MS = 1_000;

/**
 * Records that one of the user's own hooks refused the last prompt, so no turn began. A long prompt that is back in the
 * box pushes the notice off the screen, so only the transcript is certain to report this (2.1.330). A prompt that was
 * accepted during a turn does not end that turn.
 * @param refused the refused prompts, as the transcript quotes them
 */
export function refusePrompt(
  hooks: HookEvidence,
  refused: ReadonlyMap<string, { at: Millis; words: string }>,
): HookEvidence {
  const { prompt } = hooks;
  if (prompt === null || prompt.isQueued === true || !isTurnRunning(hooks)) return hooks;
  const reported = squeeze(prompt.text);
  for (const [quoted, { at, words }] of refused) {
    const text = squeeze(quoted);
    const isMeant = prompt.isCut === true ? text.startsWith(reported) : text === reported;
    if (!isMeant || at < prompt.at - TOGETHER_MS) continue;
    const end = { at: Math.max(at, prompt.at), event: REFUSED, error: refusalNote(words), message: null };
    return { ...hooks, turnEnd: end };
  }
  return hooks;
}
