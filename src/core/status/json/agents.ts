import type { JsonEvidence } from '../evidence.ts';
import { MAX_OPEN } from './open-prompts.ts';

type Json = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Removes the questions of the turn that has ended. An agent in the background still waits for its answers (2.1.330).
 */
export const askedByAgents = (requests: JsonEvidence['requests']): JsonEvidence['requests'] =>
  requests.filter(({ agent }) => agent !== null);

/** Records a task, which is an agent or a command, as Claude Code reports it when it starts. */
export function onTaskStarted(before: JsonEvidence, event: Json): JsonEvidence {
  const id = text(event.task_id);
  if (id === null) return before;
  const agent = { id, type: text(event.subagent_type), about: text(event.description) };
  const background = event.is_backgrounded === true ? [...before.background, id] : before.background;
  return {
    ...before,
    background: background.slice(-MAX_OPEN),
    agents: [...(before.agents ?? []), agent].slice(-MAX_OPEN),
  };
}

/** An agent that has ended waits for nothing, even if Claude Code did not cancel its questions. */
export function onTaskEnded(before: JsonEvidence, { task_id: id }: Json): JsonEvidence {
  return {
    ...before,
    background: before.background.filter((task) => task !== id),
    agents: before.agents?.filter((agent) => agent.id !== id) ?? [],
    requests: before.requests.filter(({ agent }) => agent === null || agent !== id),
  };
}
