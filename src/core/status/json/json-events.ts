import { type ClaudeEvent, type RateLimit, readUserText, retryWords } from '../../../protocol/index.ts';
import { readElicitation } from '../../forms/index.ts';
import type { JsonEvidence, JsonRequest } from '../evidence.ts';
import { askingCalls, endCalls } from '../form-evidence.ts';
import { boundInput } from '../hooks/kept-input.ts';
import { keepBegin, MAX_TEXT } from '../kept-text.ts';
import type { Millis } from '../millis.ts';
import { askedByAgents, onTaskEnded, onTaskStarted } from './agents.ts';
import { begin, MAX_OPEN, onPromptStage, settle } from './open-prompts.ts';
import { onFailure, onResult } from './turn-end.ts';

export const NO_EVENTS: JsonEvidence = {
  lastAt: null,
  prompt: null,
  open: [],
  busySince: null,
  phase: null,
  tools: [],
  requests: [],
  trust: null,
  compactingSince: null,
  retry: null,
  background: [],
  turnEnd: null,
  sessionId: null,
  permissionMode: null,
  model: null,
  version: null,
  rateLimit: null,
  totalCostUsd: 0,
};

/** What Claude Code writes in the user's name when a turn is interrupted, before the result. */
const INTERRUPT = /^\[Request interrupted\b/;

/** How the output of a slash command begins that has failed (2.1.330). */
const COMMAND_ERROR = '<local-command-stderr>';

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function onLifecycle(before: JsonEvidence, event: Json): JsonEvidence {
  const id = text(event.command_uuid) ?? '';
  switch (event.state) {
    case 'queued':
    case 'started':
      return onPromptStage(before, id, event.state);
    case 'completed':
    case 'cancelled':
      return { ...before, open: before.open.filter((prompt) => prompt.id !== id) };
    default:
      return before;
  }
}

/**
 * Reports whether an event belongs to the conversation itself. A subagent's messages do not show what the conversation
 * is doing.
 */
const isOwn = (event: Json): boolean => text(event.parent_tool_use_id) === null;

function onStream(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  const inner = record(event.event);
  if (!isOwn(event) || inner.type !== 'content_block_start') return before;
  const kind = record(inner.content_block).type === 'text' ? 'responding' : 'thinking';
  return { ...before, busySince: before.busySince ?? at, phase: { kind, at } };
}

function onAssistant(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  const blocks = list(record(event.message).content);
  const agent = text(event.parent_tool_use_id);
  const calls = blocks
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({
      id: text(block.id),
      name: text(block.name) ?? 'tool',
      ...boundInput(block.input),
      at,
      requestedAt: null,
      agent,
    }));
  const phase = isOwn(event) && blocks.some((block) => block.type === 'text') ? ('responding' as const) : null;
  const source = text(event.local_command_source) ?? '';
  const isUnavailable = text(record(event.local_command_outcome).kind)?.startsWith('unavailable') === true;
  const commandError = isUnavailable || source.startsWith(COMMAND_ERROR) ? text(blocks[0]?.text) : null;
  return {
    ...before,
    ...(commandError === null ? {} : { commandError }),
    busySince: before.busySince ?? at,
    phase: phase === null || before.phase?.kind === phase ? before.phase : { kind: phase, at },
    tools: [...before.tools, ...calls].slice(-MAX_OPEN),
  };
}

function onUser(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  const { content } = record(event.message);
  const words = typeof content === 'string' ? content : (text(list(content)[0]?.text) ?? '');
  if (event.isReplay === true) {
    const id = text(event.uuid) ?? '';
    const own = readUserText(event, words);
    if (own?.kind !== 'prompt') return before;
    const started = onPromptStage(before, id, 'started');
    return { ...started, prompt: { at, ...keepBegin(own.text) }, ...begin(at) };
  }
  if (isOwn(event) && INTERRUPT.test(words)) return { ...before, isInterrupted: before.busySince !== null };
  const ended = list(content)
    .filter((block) => block.type === 'tool_result')
    .map((block) => text(block.tool_use_id));
  if (ended.length === 0) return before;
  return {
    ...before,
    ...(before.forms && { forms: endCalls(before.forms, ended) }),
    tools: before.tools.filter((tool) => !ended.includes(tool.id)),
    requests: before.requests.filter((request) => !ended.includes(request.id)),
    phase: isOwn(event) ? { kind: 'thinking', at } : before.phase,
  };
}

function onRequest(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  const request = record(event.request);
  const requestId = text(event.request_id);
  if (requestId === null) return before;
  if (request.subtype === 'elicitation') return onElicitation(before, { id: requestId, request, at });
  if (request.subtype !== 'can_use_tool') return before;
  const asked: JsonRequest = {
    requestId,
    id: text(request.tool_use_id),
    name: text(request.tool_name) ?? 'tool',
    // The input is kept in full, because the answer sends it back.
    input: request.input ?? {},
    at,
    requestedAt: at,
    agent: text(request.agent_id),
    suggestions: Array.isArray(request.permission_suggestions) ? request.permission_suggestions : [],
    ...reasonOf(request),
  };
  return { ...before, requests: [...before.requests, asked].slice(-MAX_OPEN) };
}

/** A form outlives the turn, because a background agent may have called the server that asks. */
function onElicitation(before: JsonEvidence, asked: { id: string; request: Json; at: Millis }): JsonEvidence {
  const read = readElicitation(asked.request);
  if (read === null) return before;
  const form = { id: asked.id, ...read, askedAt: asked.at, ...askingCalls(read.form.server, before.tools) };
  return { ...before, forms: [...(before.forms ?? []), form].slice(-MAX_OPEN) };
}

/** Present if one of the user's own hooks or rules wants the confirmation (2.1.330). */
function reasonOf(request: Json): { reason?: string } {
  const reason = text(request.decision_reason)?.trim() ?? '';
  if (reason === '') return {};
  return { reason: reason.length > MAX_TEXT ? `${reason.slice(0, MAX_TEXT)}…` : reason };
}

function withoutRequest(before: JsonEvidence, requestId: unknown, at: Millis): JsonEvidence {
  const { forms = [] } = before;
  const requests = before.requests.filter((request) => request.requestId !== requestId);
  const openForms = forms.filter(({ id }) => id !== requestId);
  if (requests.length === before.requests.length && openForms.length === forms.length) return before;
  return { ...before, requests, forms: openForms, phase: { kind: 'thinking', at } };
}

function onSystem(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  switch (event.subtype) {
    case 'init':
      return {
        ...before,
        ...(before.busySince === null ? begin(at) : {}),
        permissionMode: text(event.permissionMode) ?? before.permissionMode,
        model: text(event.model) ?? before.model,
        version: text(event.claude_code_version) ?? before.version,
      };
    case 'status':
      return onStatus(before, event, at);
    case 'api_retry':
      return { ...before, retry: retryOf(event, at) };
    case 'compact_boundary':
      return { ...before, compactingSince: null };
    case 'session_state_changed':
      return onState(before, text(event.state), at);
    case 'task_started':
      return onTaskStarted(before, event);
    case 'task_notification':
      return onTaskEnded(before, event);
    default:
      return before;
  }
}

function retryOf(event: Json, at: Millis): JsonEvidence['retry'] {
  const delayMs = typeof event.retry_delay_ms === 'number' ? event.retry_delay_ms : 0;
  return { at, nextAt: at + delayMs, reason: retryWords(event) };
}

function onStatus(before: JsonEvidence, event: Json, at: Millis): JsonEvidence {
  const permissionMode = text(event.permissionMode) ?? before.permissionMode;
  if (event.status === 'compacting')
    return { ...before, permissionMode, compactingSince: before.compactingSince ?? at };
  const isRequesting = event.status === 'requesting';
  const phase = isRequesting && before.busySince !== null ? { kind: 'thinking' as const, at } : before.phase;
  const failed = event.compact_result === 'failed' ? { compactFailed: true as const } : {};
  return { ...before, ...failed, permissionMode, phase, compactingSince: null };
}

function onState(before: JsonEvidence, state: string | null, at: Millis): JsonEvidence {
  if (state === 'running') return before.busySince === null ? { ...before, ...begin(at) } : before;
  if (state !== 'idle') return before;
  // A prompt that is still being written is kept, because it begins the next turn.
  const open = before.open.filter((prompt) => prompt.stage === 'written');
  return settle({ ...before, open, requests: askedByAgents(before.requests), tools: [], compactingSince: null });
}

function onRateLimit(before: JsonEvidence, event: Json): JsonEvidence {
  const info = record(event.rate_limit_info);
  const status = text(info.status);
  if (status === null) return before;
  const rateLimit: RateLimit = {
    status,
    kind: text(info.rateLimitType),
    resets_at: typeof info.resetsAt === 'number' ? new Date(info.resetsAt * 1_000).toISOString() : null,
    utilization: typeof info.utilization === 'number' ? info.utilization : null,
  };
  return { ...before, rateLimit };
}

/** How each type of event changes the evidence. An event type that is not listed is only a sign of life. */
const FOLDS: ReadonlyMap<string, (before: JsonEvidence, event: ClaudeEvent, at: Millis) => JsonEvidence> = new Map(
  Object.entries({
    system: onSystem,
    command_lifecycle: onLifecycle,
    stream_event: onStream,
    assistant: onAssistant,
    user: onUser,
    control_request: onRequest,
    control_response: (before: JsonEvidence, event: ClaudeEvent, at: Millis) =>
      withoutRequest(before, record(event.response).request_id, at),
    control_cancel_request: (before: JsonEvidence, event: ClaudeEvent, at: Millis) =>
      withoutRequest(before, event.request_id, at),
    result: onResult,
    rate_limit_event: onRateLimit,
    error: onFailure,
  }),
);

/** Adds an event to the evidence. An unknown event changes only the time of the last sign of life. */
export function observeEvent(before: JsonEvidence, event: ClaudeEvent, at: Millis): JsonEvidence {
  const folded = FOLDS.get(event.type)?.(before, event, at) ?? before;
  return {
    ...folded,
    retry: folded.retry === before.retry ? null : folded.retry,
    lastAt: Math.max(at, before.lastAt ?? at),
    sessionId: text(event.session_id) ?? before.sessionId,
  };
}
