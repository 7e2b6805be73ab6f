import type { Question } from '../../protocol/index.ts';
import type { Evidence, HookEvidence, JsonEvidence, PendingTool, StatusMemory } from './evidence.ts';
import type { HookForm } from './form-evidence.ts';
import type { Millis } from './millis.ts';
import type { FlowEvidence, ScreenEvidence, SettledReading } from './screen/screen-evidence.ts';

/**
 * Shifts all times in the evidence after the wall clock was set, so that the evidence keeps its order and its age.
 * Otherwise, if the clock was set back by an hour, new evidence would seem older than existing evidence for an hour.
 * @param byMs whole milliseconds, because identities are computed from times and must not change in even a single bit
 */
export function moveEvidence(evidence: Evidence, byMs: number): Evidence {
  const { process, screen, hooks, registry, json } = evidence;
  return {
    ...evidence,
    process: process && {
      ...process,
      startedAt: moved(process.startedAt, byMs),
      endedAt: moved(process.endedAt, byMs),
      ...(process.parkedAt === undefined ? {} : { parkedAt: process.parkedAt + byMs }),
      ...(process.absent === undefined ? {} : { absent: { ...process.absent, since: process.absent.since + byMs } }),
      ...(process.settingUp === undefined
        ? {}
        : { settingUp: { ...process.settingUp, since: process.settingUp.since + byMs } }),
    },
    screen: screen && moveScreen(screen, byMs),
    hooks: moveHooks(hooks, byMs),
    registry: registry && {
      ...registry,
      statusUpdatedAt: moved(registry.statusUpdatedAt, byMs),
      readAt: registry.readAt + byMs,
    },
    ...(json === undefined ? {} : { json: moveJson(json, byMs) }),
    movedMs: (evidence.movedMs ?? 0) + byMs,
  };
}

export function moveHooks(hooks: HookEvidence, byMs: number): HookEvidence {
  return {
    ...hooks,
    lastAt: moved(hooks.lastAt, byMs),
    started: movedEvent(hooks.started, byMs),
    prompt: movedEvent(hooks.prompt, byMs),
    tools: hooks.tools.map((tool) => movedTool(tool, byMs)),
    toolEndedAt: moved(hooks.toolEndedAt, byMs),
    ...(hooks.forms && { forms: hooks.forms.map((form) => movedForm(form, byMs)) }),
    turnEnd: movedEvent(hooks.turnEnd, byMs),
    compactingSince: moved(hooks.compactingSince, byMs),
    ended: movedEvent(hooks.ended, byMs),
  };
}

export function moveJson(json: JsonEvidence, byMs: number): JsonEvidence {
  const { retry } = json;
  return {
    ...json,
    lastAt: moved(json.lastAt, byMs),
    prompt: movedEvent(json.prompt, byMs),
    open: json.open.map((prompt) => ({ ...prompt, at: prompt.at + byMs })),
    busySince: moved(json.busySince, byMs),
    phase: movedEvent(json.phase, byMs),
    tools: json.tools.map((tool) => movedTool(tool, byMs)),
    requests: json.requests.map((request) => ({
      ...request,
      at: request.at + byMs,
      requestedAt: request.requestedAt + byMs,
    })),
    ...(json.forms && { forms: json.forms.map((form) => ({ ...form, askedAt: form.askedAt + byMs })) }),
    compactingSince: moved(json.compactingSince, byMs),
    retry: retry && { ...retry, at: retry.at + byMs, nextAt: retry.nextAt + byMs },
    turnEnd: movedEvent(json.turnEnd, byMs),
  };
}

/**
 * Shifts the times in a status to the new clock. The time when the status began is shifted only if the clock was set
 * back. It does not change if the clock was set forward or if the machine slept.
 */
export function moveMemory(memory: StatusMemory, byMs: number): StatusMemory {
  const backMs = Math.min(0, byMs);
  const movedQuestion = (question: Question): Question => ({
    ...question,
    asked_at: new Date(Date.parse(question.asked_at) + backMs).toISOString(),
  });
  return {
    ...memory,
    since: memory.since + backMs,
    recoveredAt: moved(memory.recoveredAt, byMs),
    question: memory.question && movedQuestion(memory.question),
    questions: memory.questions.map(movedQuestion),
  };
}

function moveScreen(screen: ScreenEvidence, byMs: number): ScreenEvidence {
  const { flow, next } = screen;
  const { alone, accompanied } = screen.settled;
  const movedReading = (settled: SettledReading | null): SettledReading | null =>
    settled && { ...settled, since: settled.since + byMs };
  return {
    ...screen,
    readingSince: screen.readingSince + byMs,
    primarySince: screen.primarySince + byMs,
    settled: { alone: movedReading(alone), accompanied: movedReading(accompanied) },
    flow: movedFlow(flow, byMs),
    next: next && { ...next, flow: movedFlow(next.flow, byMs), at: next.at + byMs },
    dialogSeenAt: moved(screen.dialogSeenAt, byMs),
    clearSince: moved(screen.clearSince, byMs),
    clearedAt: moved(screen.clearedAt, byMs),
    changedAt: screen.changedAt + byMs,
    progressedAt: screen.progressedAt + byMs,
  };
}

const movedFlow = (flow: FlowEvidence, byMs: number): FlowEvidence => ({
  ...flow,
  seen: movedEvent(flow.seen, byMs),
  awaySince: moved(flow.awaySince, byMs),
});

const moved = (at: Millis | null, byMs: number): Millis | null => (at === null ? null : at + byMs);

const movedEvent = <T extends { at: Millis }>(event: T | null, byMs: number): T | null =>
  event && { ...event, at: event.at + byMs };

const movedForm = ({ queuedAt, endedAt, toldAt, ...form }: HookForm, byMs: number): HookForm => ({
  ...form,
  askedAt: form.askedAt + byMs,
  ...(queuedAt === undefined ? {} : { queuedAt: queuedAt + byMs }),
  ...(endedAt === undefined ? {} : { endedAt: endedAt + byMs }),
  ...(toldAt === undefined ? {} : { toldAt: toldAt + byMs }),
});

const movedTool = (tool: PendingTool, byMs: number): PendingTool => ({
  ...tool,
  at: tool.at + byMs,
  requestedAt: moved(tool.requestedAt, byMs),
});
