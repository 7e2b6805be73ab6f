export * from './addresses.ts';
export * from './allowing.ts';
export * from './always.ts';
export * from './attention.ts';
export * from './budgets.ts';
export * from './catchup.ts';
export * from './changes.ts';
export * from './checkpoint-at.ts';
export * from './checkpoints.ts';
export type { Completion } from './completions.ts';
export * from './delivery.ts';
export * from './delivery-phases.ts';
export * from './elsewhere.ts';
export * from './error-body.ts';
export { EXIT } from './errors/catalogue-entry.ts';
export * from './errors.ts';
export * from './event-words.ts';
export * from './explanation.ts';
export * from './figures.ts';
export * from './file-content.ts';
export type { FILE_ROUTES } from './file-routes.ts';
export * from './file-too-large.ts';
export * from './files.ts';
export * from './form.ts';
export * from './frame-types.ts';
export * from './frames.ts';
export * from './grouping.ts';
export * from './history.ts';
export * from './json-session.ts';
export * from './labels.ts';
export * from './machine-adding.ts';
export * from './machine-wire.ts';
export * from './machine-words.ts';
export * from './machines.ts';
export * from './memory.ts';
export * from './names.ts';
export * from './nearly-full.ts';
export * from './open-here.ts';
export * from './parking.ts';
export * from './parse-json.ts';
export * from './place.ts';
export * from './port-range.ts';
export * from './prompt-refusal.ts';
export * from './pull-request.ts';
export * from './push.ts';
export * from './question.ts';
export * from './recordings.ts';
export * from './replay.ts';
export {
  Adoption,
  Answer,
  Broadcast,
  BroadcastResult,
  Fork,
  Invoke,
  NewSession,
  NewStashedResponse,
  NewWorktree,
  Send,
  SessionPatch,
} from './requests.ts';
export type { SessionResources } from './resources.ts';
export * from './restore.ts';
export * from './review.ts';
export * from './route.ts';
export * from './routes.ts';
export type { RULE_ROUTES } from './rule-routes.ts';
export * from './rules.ts';
export type { SCHEDULE_ROUTES } from './schedule-routes.ts';
export * from './schedules.ts';
export * from './search.ts';
export * from './session.ts';
export * from './session-end.ts';
export * from './session-selector.ts';
export * from './set-up.ts';
export { SETTINGS } from './setting-rows.ts';
export * from './settings.ts';
export * from './sign-in.ts';
export * from './sign-in-url.ts';
export type { SINK_ROUTES } from './sink-routes.ts';
export * from './sinks.ts';
export * from './snooze.ts';
export * from './stash.ts';
export * from './state-selector.ts';
export * from './state-selector-word.ts';
export * from './status.ts';
export * from './status-words.ts';
export * from './tags.ts';
export * from './terminal.ts';
export * from './tool-call.ts';
export type { TranscriptPage } from './transcript.ts';
export * from './turns.ts';
export * from './views.ts';
export * from './words.ts';
export * from './worktree.ts';
