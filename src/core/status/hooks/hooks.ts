import type { HookEvent, HookEvidence, PendingTool } from '../evidence.ts';
import { endCalls } from '../form-evidence.ts';
import { keepBegin, keepEnd } from '../kept-text.ts';
import type { Millis } from '../millis.ts';
import { onElicitation, onElicitationResult, onFormEnded } from './form-hook.ts';
import { boundInput } from './kept-input.ts';

/** How many running tool calls are remembered; the oldest are dropped first. More at once have never been seen. */
const MAX_TOOLS = 64;
/** How many ended tool calls are remembered, so that duplicate and late events can be recognized. */
const MAX_ENDED = 64;

/** The evidence before the first hook. */
export const NO_HOOKS: HookEvidence = {
  lastAt: null,
  sessionId: null,
  started: null,
  prompt: null,
  tools: [],
  endedTools: [],
  toolEndedAt: null,
  turnEnd: null,
  compactingSince: null,
  ended: null,
};

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isNewer = (at: Millis, than: { at: Millis } | null): boolean => than === null || at >= than.at;

/** Reports whether a turn is running, according to the hooks. */
export function isTurnRunning(hooks: HookEvidence): boolean {
  return hooks.prompt !== null && (hooks.turnEnd === null || hooks.turnEnd.at < hooks.prompt.at);
}

function toolOf(event: HookEvent, requestedAt: Millis | null): PendingTool {
  const { payload } = event;
  return {
    id: text(payload.tool_use_id),
    name: text(payload.tool_name) ?? 'tool',
    ...boundInput(payload.tool_input),
    at: event.at,
    requestedAt,
    agent: text(payload.agent_id),
    ...(typeof payload.agent_type === 'string' ? { agentType: payload.agent_type } : {}),
  };
}

/**
 * Reports whether a call belongs to a subagent and needs permission. The request may come after the turn has ended
 * (2.1.329).
 */
export const isAskedBeside = (tool: PendingTool): boolean => tool.agent !== null && tool.requestedAt !== null;

/**
 * Reports whether two calls use the same tool with the same input. Only the parts of the inputs that CBOS keeps are
 * compared.
 */
export const hasSameInput = (a: PendingTool, b: PendingTool): boolean =>
  a.name === b.name && JSON.stringify(a.input) === JSON.stringify(b.input);

/**
 * Reports whether a hook that ends a call refers to this call. For a question, Claude Code adds the answers to the
 * input.
 */
export function hasSameCall(tool: PendingTool, payload: Readonly<Record<string, unknown>>): boolean {
  const { tool_use_id: id, tool_name: name, tool_input: input } = payload;
  if (tool.id !== null && typeof id === 'string') return tool.id === id;
  const withoutAnswers = (value: unknown): string =>
    JSON.stringify(isRecord(value) ? { ...value, answers: undefined } : value);
  return name === tool.name && withoutAnswers(boundInput(input).input) === withoutAnswers(tool.input);
}

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Resumes the turn if the conversation itself calls a tool after the Stop hook. One of the user's own Stop hooks may
 * have prolonged the turn.
 */
function continueTurn(hooks: HookEvidence, event: HookEvent, tool: PendingTool): HookEvidence {
  const isBackground = tool.agent !== null;
  if (isBackground || hooks.turnEnd === null || hooks.turnEnd.at >= event.at) return hooks;
  return { ...hooks, turnEnd: null };
}

function onPreToolUse(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const tool = toolOf(event, null);
  const known = [...hooks.tools, ...(hooks.interruptedTools ?? [])];
  if (tool.id !== null && (hooks.endedTools.includes(tool.id) || known.some(({ id }) => id === tool.id))) return hooks;
  // The event arrived too late: its turn had already ended.
  if (hooks.turnEnd !== null && hooks.turnEnd.at > event.at) return hooks;
  return { ...continueTurn(hooks, event, tool), tools: [...hooks.tools, tool].slice(-MAX_TOOLS) };
}

/**
 * The maximum length of the stored suggestions, in characters of JSON. The suggestions that Claude Code makes have a
 * few hundred characters.
 */
const MAX_SUGGESTIONS = 4_000;

function waitOf({ wait, payload }: HookEvent): Pick<PendingTool, 'wait'> {
  if (wait == null) return {};
  const { permission_suggestions: told } = payload;
  const isTold = Array.isArray(told) && JSON.stringify(told).length <= MAX_SUGGESTIONS;
  return { wait: { id: wait, suggestions: isTold ? told : [] } };
}

/**
 * In some versions, PermissionRequest contains no call id (2.1.332 is the newest of them). The request then belongs to
 * the announced call with the same input.
 */
function onPermissionRequest(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const asked = { ...toolOf(event, event.at), ...waitOf(event) };
  if (asked.wait !== undefined && hooks.tools.some(({ wait }) => wait?.id === asked.wait?.id)) return hooks;
  if (asked.id !== null && hooks.endedTools.includes(asked.id)) return hooks;
  // An agent's request outlives the turn. On a loaded machine, its hook may report after the turn's end (2.1.330).
  if (asked.agent === null && hooks.turnEnd !== null && hooks.turnEnd.at > event.at) return hooks;
  const isMeant = (tool: PendingTool): boolean =>
    asked.id !== null && tool.id !== null
      ? tool.id === asked.id
      : tool.requestedAt === null && hasSameInput(tool, asked);
  // No hook reports that a call was refused, so CBOS may still remember the same call from an earlier turn.
  const ofThisTurn = hooks.tools.findIndex((tool) => tool.at > (hooks.prompt?.at ?? 0) && isMeant(tool));
  const index = ofThisTurn < 0 ? hooks.tools.findIndex(isMeant) : ofThisTurn;
  const known = hooks.tools[index];
  // On a loaded machine, a hook reported 200 ms after its turn had been interrupted. Its dialog is gone (2.1.330).
  if (known === undefined && hooks.interruptedTools?.some(isMeant)) return hooks;
  const base = continueTurn(hooks, event, asked);
  if (known === undefined) {
    const isDouble = hooks.tools.some((tool) => tool.requestedAt === event.at && hasSameInput(tool, asked));
    return isDouble ? hooks : { ...base, tools: [...hooks.tools, asked].slice(-MAX_TOOLS) };
  }
  if (known.requestedAt !== null) return hooks;
  // The input in the permission request is the one that will be used. One of the user's own hooks may have changed the
  // input that was announced.
  const { cut: _, ...announced } = known;
  const { input, cut } = asked;
  const tool = { ...announced, input, ...(cut && { cut }), requestedAt: event.at, ...waitOf(event) };
  return { ...base, tools: hooks.tools.with(index, tool) };
}

function onToolEnd(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const ended = toolOf(event, null);
  const endedTools = ended.id === null ? hooks.endedTools : [...hooks.endedTools, ended.id].slice(-MAX_ENDED);
  const index = hooks.tools.findIndex((tool) =>
    ended.id !== null && tool.id !== null ? tool.id === ended.id : hasSameInput(tool, ended),
  );
  const tools = index < 0 ? hooks.tools : hooks.tools.toSpliced(index, 1);
  const forms = hooks.forms && endCalls(hooks.forms, [ended.id]);
  const toolEndedAt = Math.max(event.at, hooks.toolEndedAt ?? 0);
  return { ...hooks, tools, endedTools, ...(forms && { forms }), toolEndedAt };
}

/**
 * Matches the prompt that Claude Code itself sends to the model after a background agent or command has ended
 * (2.1.330).
 */
const TASK_ENDED = /^<task-notification>\s*<task-id>([^<]+)<\/task-id>/;

function onPrompt(hooks: HookEvidence, event: HookEvent): HookEvidence {
  if (!isNewer(event.at, hooks.prompt)) return hooks;
  const prompted = text(event.payload.prompt) ?? '';
  const endedTask = TASK_ENDED.exec(prompted)?.[1];
  // No one typed this prompt, so it does not prove that no dialog is open. Permission requests from other agents
  // therefore remain open.
  const isOpenBeside = (tool: PendingTool): boolean =>
    endedTask !== undefined && isAskedBeside(tool) && tool.agent !== endedTask;
  // If a prompt is queued during a turn, Claude Code 2.1.329 announces the prompt at that moment. The running calls
  // then continue. After an interrupt, they do not continue, but no hook reports that. CBOS therefore keeps the calls,
  // and newer evidence and the screen override them. Their permission requests are settled, because no dialog was open
  // while the prompt was being typed.
  const tools = hooks.tools.map((tool) =>
    tool.at > event.at || isOpenBeside(tool) ? tool : { ...tool, requestedAt: null },
  );
  const id = text(event.payload.prompt_id);
  const prompt = {
    at: event.at,
    ...keepBegin(prompted),
    ...(id === null ? {} : { id }),
    ...(isInTurn(hooks, id) ? { isQueued: true as const } : {}),
  };
  return { ...hooks, prompt, tools };
}

/**
 * Reports whether a prompt was accepted during a turn. Its event then has the id of that turn, and else a new one
 * (2.1.330). Older versions give no ids.
 */
function isInTurn(hooks: HookEvidence, id: string | null): boolean {
  const before = hooks.prompt?.id;
  return id === null || before === undefined ? isTurnRunning(hooks) : id === before;
}

/**
 * Returns what continues in the background after a turn, as reported by `Stop` (2.1.329). All of it ends together with
 * the process.
 */
function backgroundOf({ payload }: HookEvent): Pick<HookEvidence, 'background'> {
  const counted = [payload.background_tasks, payload.session_crons].map((some) =>
    Array.isArray(some) ? some.length : 0,
  );
  const background = counted.reduce((sum, count) => sum + count, 0);
  return background === 0 ? {} : { background };
}

function endTurn(hooks: HookEvidence, event: HookEvent, error: string | null): HookEvidence {
  if (!isNewer(event.at, hooks.turnEnd)) return hooks;
  const { background: _, interruptedTools: __, ...rest } = hooks;
  return {
    ...rest,
    ...backgroundOf(event),
    turnEnd: {
      at: event.at,
      event: event.event,
      error,
      ...keepEnd(text(event.payload.last_assistant_message)),
      ...(event.limit === undefined ? {} : { limit: event.limit }),
    },
    // Calls by subagents continue in the background, but they count only if they need permission.
    tools: hooks.tools.filter((tool) => tool.at > event.at || isAskedBeside(tool)),
    compactingSince: null,
  };
}

function onSessionStart(hooks: HookEvidence, event: HookEvent): HookEvidence {
  if (!isNewer(event.at, hooks.started)) return hooks;
  const source = text(event.payload.source) ?? 'startup';
  const started = { at: event.at, source };
  const ended = hooks.ended !== null && hooks.ended.at <= event.at ? null : hooks.ended;
  // After the conversation is compacted, the same turn continues. Every other start begins with an empty prompt.
  if (source === 'compact') return { ...hooks, started: hooks.started ?? started, compactingSince: null, ended };
  return {
    ...hooks,
    started,
    ended,
    prompt: hooks.prompt !== null && hooks.prompt.at > event.at ? hooks.prompt : null,
    turnEnd: hooks.turnEnd !== null && hooks.turnEnd.at > event.at ? hooks.turnEnd : null,
    tools: hooks.tools.filter((tool) => tool.at > event.at),
    compactingSince: null,
  };
}

/** An agent that has ended asks nothing any more. No hook reports a call of its that was refused. */
function onAgentEnd(hooks: HookEvidence, { payload }: HookEvent): HookEvidence {
  const agent = text(payload.agent_id);
  return agent === null ? hooks : { ...hooks, tools: hooks.tools.filter((tool) => tool.agent !== agent) };
}

function onNotification(hooks: HookEvidence, event: HookEvent): HookEvidence {
  const kind = text(event.payload.notification_type);
  if (kind === 'elicitation_response') return onFormEnded(hooks, event);
  const message = text(event.payload.message) ?? '';
  // This hook fires after 60 s at an idle prompt. After an interrupt, no other hook reports the end of the turn.
  const isIdle = kind === 'idle_prompt' || (kind === null && /waiting for your input/i.test(message));
  if (isIdle && isTurnRunning(hooks) && isNewer(event.at, hooks.prompt)) return endTurn(hooks, event, null);
  return hooks;
}

/** How each event changes the evidence. An event that is not listed is only a sign of life. */
const FOLDS: ReadonlyMap<string, (hooks: HookEvidence, event: HookEvent) => HookEvidence> = new Map(
  Object.entries({
    SessionStart: onSessionStart,
    UserPromptSubmit: onPrompt,
    PreToolUse: onPreToolUse,
    PermissionRequest: onPermissionRequest,
    Elicitation: onElicitation,
    ElicitationResult: onElicitationResult,
    PostToolUse: onToolEnd,
    PostToolUseFailure: onToolEnd,
    Notification: onNotification,
    SubagentStop: onAgentEnd,
    Stop: (hooks: HookEvidence, event: HookEvent) => endTurn(hooks, event, null),
    StopFailure: (hooks: HookEvidence, event: HookEvent) => endTurn(hooks, event, text(event.payload.error) ?? 'error'),
    PreCompact: (hooks: HookEvidence, event: HookEvent) =>
      hooks.turnEnd !== null && hooks.turnEnd.at > event.at ? hooks : { ...hooks, compactingSince: event.at },
    PostCompact: (hooks: HookEvidence, event: HookEvent) =>
      hooks.compactingSince !== null && hooks.compactingSince > event.at ? hooks : { ...hooks, compactingSince: null },
    SessionEnd: (hooks: HookEvidence, event: HookEvent) => ({
      ...hooks,
      ended: { at: event.at, reason: text(event.payload.reason) },
    }),
  }),
);

/**
 * Adds a hook event to the evidence. Duplicates, late events, and unknown names never override what a newer event has
 * reported. The size of the evidence remains bounded.
 */
export function observeHook(previous: HookEvidence, event: HookEvent): HookEvidence {
  const folded = FOLDS.get(event.event)?.(previous, event) ?? previous;
  return {
    ...folded,
    lastAt: Math.max(event.at, previous.lastAt ?? event.at),
    sessionId: text(event.payload.session_id) ?? previous.sessionId,
  };
}
