import { type ClaudeEvent, hookNoteOf, isAborted, type RateLimit } from '../../../protocol/index.ts';
import type { JsonEvidence } from '../evidence.ts';
import { keepEnd } from '../kept-text.ts';
import type { Millis } from '../millis.ts';
import { askedByAgents } from './agents.ts';
import { begin, settle, withoutFinished } from './open-prompts.ts';

type Json = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Ends the turn. If somebody interrupted it while a Stop hook ran, the result names only the hook (2.1.330). */
export function onResult(
  { isInterrupted = false, compactFailed, commandError, ...before }: JsonEvidence,
  event: ClaudeEvent,
  at: Millis,
): JsonEvidence {
  const { message, ...cut } = keepEnd(text(event.result));
  const isCommand = typeof event.local_command === 'string';
  // The result of a slash command is always a success. A compaction that somebody interrupts prints no error, and one
  // whose request fails does (2.1.330).
  const isCancelled = isCommand && compactFailed === true && commandError === undefined;
  const interrupted = isInterrupted || isAborted(event) || isCancelled;
  const failure = event.is_error === true && !interrupted ? (message ?? firstError(event)) : null;
  const error = hookNoteOf(event) ?? failure ?? (compactFailed === true ? (commandError ?? null) : null);
  // The end of an agent begins a turn of its own. So does a resumed conversation whose agents were killed (2.1.330).
  const isOfPrompt = (event.origin as Json | undefined)?.kind !== 'task-notification';
  const open = withoutFinished(before.open, isOfPrompt);
  const ended: JsonEvidence = {
    ...before,
    open,
    tools: [],
    requests: askedByAgents(before.requests),
    compactingSince: null,
    turnEnd: {
      at,
      error,
      message: error === null ? message : null,
      ...cut,
      interrupted,
      ...(commandError === undefined ? {} : { commandError }),
      ...limitBehind(before, event),
    },
    totalCostUsd: typeof event.total_cost_usd === 'number' ? event.total_cost_usd : before.totalCostUsd,
  };
  return open.length > 0 ? { ...ended, ...begin(at) } : settle(ended);
}

/** The limit that ended the turn is named in the event before the result (2.1.329). */
function limitBehind({ rateLimit }: JsonEvidence, event: Json): { limit?: RateLimit } {
  const isReached = event.api_error === 'usage_limit_reached' && rateLimit?.status === 'rejected';
  return isReached ? { limit: rateLimit } : {};
}

function firstError(event: Json): string {
  const [first] = Array.isArray(event.errors) ? event.errors : [];
  return text(first) ?? text(event.subtype) ?? 'error';
}

/** The process failed. Everything that was running has ended, and nothing restarts until someone asks for it. */
export function onFailure(
  { compactFailed: _, commandError: __, ...before }: JsonEvidence,
  event: Json,
  at: Millis,
): JsonEvidence {
  return settle({
    ...before,
    open: [],
    tools: [],
    requests: [],
    forms: [],
    background: [],
    agents: [],
    compactingSince: null,
    turnEnd: { at, error: text(event.message) ?? 'the process failed', message: null, interrupted: false },
  });
}
