import type { StreamFrame } from './frames.ts';

/**
 * All frame types of `/ws/stream`, for code that needs only the types and not the schemas. The compiler reports any
 * type that is missing.
 */
const TYPES = {
  sessions: true,
  available_streams: true,
  subscribed: true,
  stream: true,
  send_result: true,
  answer_result: true,
  interrupt_result: true,
  invoke_result: true,
  claude_event: true,
  buffer: true,
  resized: true,
  session_state: true,
  session_added: true,
  session_updated: true,
  session_removed: true,
  session_renamed: true,
  reset: true,
  schedules_changed: true,
  rules_changed: true,
  rule_decided: true,
  fleet: true,
  machine: true,
  error: true,
} as const satisfies Record<StreamFrame['type'], true>;

export const STREAM_FRAME_TYPES: readonly string[] = Object.keys(TYPES);
