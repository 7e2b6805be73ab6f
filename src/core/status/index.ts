/**
 * Computes a session's status from evidence. `derive.ts` computes the verdict at one moment. `advance.ts` turns it into
 * the next status, with stuck, recovered, and dead. Each source has a folder that reads its evidence, and `arbitrate/`
 * decides between the sources.
 *
 * - rules over the screen: `screen/generation-*.ts`, one file per generation of the interface
 * - regions of the window: `screen/layout.ts`
 * - dialogs: `screen/dialog.ts`; where a dialog ends: `screen/dialog-end.ts`
 * - what covers the prompt: `screen/cover.ts`
 * - the spinner's highlight: `screen/flow.ts`
 * - rules over hooks, registry, process, and events: `hooks/`, `registry/`, `process-rules.ts`, `json/`
 * - the user's own rules: `user-rules.ts`
 * - a usage limit that stops a session: `limit.ts`
 * - disagreements between sources: `arbitrate/dispute.ts`
 * - races between sources: `arbitrate/races.ts`
 * - how long something must hold before it counts: `thresholds.ts` (settings)
 * - the question that a session asks: `question.ts`
 * - the question's options before the dialog is drawn: `asked-options.ts`
 * - the meaning of an option: `option-meaning.ts`
 * - a wall clock that was set: `set-clock.ts`
 * - the status along a recording: `timeline.ts`
 * - a report without secrets: `redact.ts`
 */

export * from './advance.ts';
export { describeTool } from './asked-call.ts';
export { standingFor, standingPermissions } from './asked-options.ts';
export * from './conversation-text.ts';
export { derive } from './derive.ts';
export * from './evidence.ts';
export { explain } from './explain.ts';
export { HOOK_RULES } from './hooks/hook-rules.ts';
export { forgetWait, hasSameCall, NO_HOOKS, observeHook, settleCall } from './hooks/hooks.ts';
export * from './json/json-events.ts';
export { jsonState, TRUSTS } from './json/json-question.ts';
export { JSON_RULES } from './json/json-rules.ts';
export { observePrompt, observeTrust, withdrawPrompt } from './json/open-prompts.ts';
export { endOfLimit, limitOf, limitOver, limitShown, nameLimit } from './limit.ts';
export type { Millis } from './millis.ts';
export { PROCESS_RULES, setUpFailedText } from './process-rules.ts';
export { asDrawn } from './question.ts';
export { redactFrame, redactLine } from './redact.ts';
export { REGISTRY_RULES } from './registry/registry-rules.ts';
export type { RuleFacts } from './rule.ts';
export { NO_FLOW } from './screen/flow.ts';
export type { ScreenRule } from './screen/generation.ts';
export { observeScreen, type ScreenObserver, screenObserver, userObserver } from './screen/screen.ts';
export * from './screen/screen-evidence.ts';
export { readScreen, SCREEN_RULES, SCREEN_SIGNS } from './screen/screen-rules.ts';
export type { ScreenSigns } from './screen/signs.ts';
export * from './set-clock.ts';
export { readByRules } from './source-rules.ts';
export { DEFAULT_THRESHOLDS, type Thresholds } from './thresholds.ts';
export * from './timeline.ts';
