/**
 * Computes a session's status from evidence. `derive.ts` computes the verdict at one moment. `advance.ts` turns that
 * verdict into the next status, which adds stuck, recovered, and dead. Each source has a folder with the code that
 * reads its evidence, and `arbitrate/` decides between the sources.
 *
 * - `screen/generation-*.ts`: the rules that read the screen, with one file for each generation of the interface
 * - `screen/layout.ts`: the regions of the window
 * - `screen/dialog.ts`: dialogs; `screen/dialog-end.ts`: where a dialog ends
 * - `screen/cover.ts`: what covers the prompt
 * - `screen/flow.ts`: the spinner's highlight
 * - `hooks/`, `registry/`, `process-rules.ts`, `json/`: the rules that read hooks, registry, process, and events
 * - `user-rules.ts`: the user's own rules
 * - `limit.ts`: a usage limit that stops a session
 * - `arbitrate/dispute.ts`: disagreements between sources
 * - `arbitrate/races.ts`: races between sources
 * - `thresholds.ts`: how long something must last before it counts (settings)
 * - `question.ts`: the question that a session asks; `identity.ts`: the id that it keeps
 * - `asked-options.ts`: the question's options before the dialog is drawn
 * - `option-meaning.ts`: the meaning of an option
 * - `seen-forms.ts`: what the screen shows about forms in the terminal
 * - `set-clock.ts`: what happens when the wall clock is set
 * - `timeline.ts`: the status over the course of a recording
 * - `redact.ts`: a report without secrets
 */

export * from './advance.ts';
export { describeTool } from './asked-call.ts';
export { standingFor, standingPermissions } from './asked-options.ts';
export * from './conversation-text.ts';
export { derive } from './derive.ts';
export * from './evidence.ts';
export { explain } from './explain.ts';
export * from './form-evidence.ts';
export { valuesOf } from './form-question.ts';
export { endedFormOf } from './hooks/form-hook.ts';
export { HOOK_RULES } from './hooks/hook-rules.ts';
export { hasSameCall, isTurnRunning, NO_HOOKS, observeHook } from './hooks/hooks.ts';
export { forgetWait, interruptCalls, openWaits, refusePrompt, settleCall, type WaitEnd } from './hooks/unreported.ts';
export { asksFirst, questionOf } from './identity.ts';
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
export { viewOn } from './screen/cover.ts';
export { NO_FLOW } from './screen/flow.ts';
export type { ScreenRule } from './screen/generation.ts';
export { observeScreen, type ScreenObserver, screenObserver, userObserver } from './screen/screen.ts';
export * from './screen/screen-evidence.ts';
export { readScreen, SCREEN_RULES, SCREEN_SIGNS } from './screen/screen-rules.ts';
export type { ScreenSigns } from './screen/signs.ts';
export { seeForms } from './seen-forms.ts';
export * from './set-clock.ts';
export { restoreDialogs, type ShownDialog } from './shown-dialog.ts';
export { readByRules } from './source-rules.ts';
export { DEFAULT_THRESHOLDS, type Thresholds } from './thresholds.ts';
export * from './timeline.ts';
