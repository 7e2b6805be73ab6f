import {
  advanceStatus,
  type Evidence,
  forgetWait,
  type HookEvent,
  type HookEvidence,
  interruptCalls,
  type JsonEvidence,
  moveEvidence,
  moveMemory,
  NO_HOOKS,
  nameLimit,
  observeHook,
  type ProcessEvidence,
  type RegistryEvidence,
  refusePrompt,
  type ScreenFrame,
  type ScreenObserver,
  type StatusMemory,
  seeForms,
  settleCall,
  statusView,
  type Thresholds,
  type WaitEnd,
} from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { RateLimit, Status } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

export interface SessionStatusOptions {
  clock: Clock;
  thresholds: Thresholds;
  observe: ScreenObserver;
  /**
   * the evidence from hooks that a previous server stored; together with `memory`, it preserves the status's `since`
   */
  hooks: HookEvidence | null;
  /** how far the times in the evidence have been shifted since they were recorded; see `Evidence` */
  movedMs: number;
  memory: StatusMemory | null;
  /** the evidence from a JSON session's events so far; undefined for a terminal session */
  json: JsonEvidence | undefined;
  /** called after the status has changed; `before` is null the first time */
  onChange: (memory: StatusMemory, before: StatusMemory | null) => void;
  /** called after the screen has shown something about the forms that the hooks had reported */
  onSeenForms: () => void;
  /** called if only what is remembered of the dialogs has changed, which no client shows */
  onShown: (shown: StatusMemory['shown']) => void;
}

/**
 * All evidence about one session, and the status that results from it. The status is derived again whenever evidence
 * arrives. A timer runs only if the evidence must be checked again at a certain time, because of a threshold or a
 * lasting contradiction.
 */
export interface SessionStatus {
  evidence(): Evidence;
  memory(): StatusMemory;
  view(): Status;
  seeProcess(process: ProcessEvidence): void;
  seeRegistry(registry: RegistryEvidence | null): void;
  seeHook(event: HookEvent): void;
  /** Records that a hook is no longer waiting for the reply to its question, and what happened to its form. */
  forgetWait(id: string, to: WaitEnd): void;
  /** Records that the reply to a hook's question was accepted. */
  settleCall(id: string, isRefused: boolean): void;
  /** Records that CBOS interrupted the turn with an Esc that it began to press at this time. */
  interruptCalls(at: number): void;
  /**
   * Records which prompts a hook refused, as the transcript reports them.
   * @returns whether the last prompt is among them, which was not known
   */
  seeRefused(refused: Parameters<typeof refusePrompt>[1]): boolean;
  /** Records which usage limit caused the failure that ended the last turn with this message. */
  seeLimit(limit: RateLimit, message: unknown): void;
  /**
   * Records that reports from hooks were lost. Until hooks report again, the status is derived from the other sources.
   */
  loseHooks(): void;
  seeScreen(frame: ScreenFrame, at: number): void;
  /** Records that the last known screen is out of date and the current one cannot be seen. */
  loseScreen(): void;
  /** Accepts new evidence from a JSON session's events; undefined if the session is no longer a JSON session. */
  seeJson(json: JsonEvidence | undefined): void;
  /** Records that a new launch has begun. Earlier evidence no longer counts. */
  startAnew(): void;
  /**
   * Resolves to true as soon as the condition holds, or to false after `timeoutMs`. The condition is checked whenever
   * evidence arrives.
   */
  until(condition: () => boolean, timeoutMs: number): Promise<boolean>;
  dispose(): void;
}

export function createSessionStatus(options: SessionStatusOptions): SessionStatus {
  const { clock } = options;
  let evidence: Evidence = { ...blank(options.hooks ?? NO_HOOKS, options.json), movedMs: options.movedMs };
  let memory = options.memory;
  let cancelRecheck: Dispose | null = null;
  const advanced = new Emitter();

  const advance = (): StatusMemory => {
    // The time must be read first: `now` may notice that the clock was set, and then changes the evidence.
    const now = clock.now();
    const hooks = seeForms(evidence.hooks, evidence.screen, now);
    const isNew = hooks !== evidence.hooks;
    evidence = { ...evidence, hooks };
    const before = memory;
    const next = advanceStatus(before, { evidence, now, thresholds: options.thresholds });
    memory = next.memory;
    cancelRecheck?.();
    cancelRecheck = next.recheckAt === null ? null : clock.after(Math.max(0, next.recheckAt - now), advance);
    if (isNew) options.onSeenForms();
    if (before === null || next.changed) options.onChange(memory, before);
    else if (before.shown !== memory.shown) options.onShown(memory.shown);
    advanced.tell();
    return memory;
  };
  const see = (change: Partial<Evidence>): void => {
    evidence = { ...evidence, ...change };
    advance();
  };
  const stopNoticingSteps = clock.onStep((byMs) => {
    evidence = moveEvidence(evidence, byMs);
    memory = memory && moveMemory(memory, byMs);
    if (memory !== null) advance();
  });
  const current = (): StatusMemory => memory ?? advance();

  return {
    evidence: () => evidence,
    memory: current,
    view: () => {
      const now = clock.now();
      return statusView(current(), evidence, now);
    },
    seeProcess: (process) => see({ process }),
    seeRegistry: (registry) => see({ registry }),
    seeHook: (event) => see({ hooks: observeHook(evidence.hooks, event) }),
    forgetWait: (id, to) => see({ hooks: forgetWait(evidence.hooks, id, { to, at: clock.now() }) }),
    settleCall: (id, isRefused) => see({ hooks: settleCall(evidence.hooks, id, isRefused) }),
    interruptCalls: (at) => see({ hooks: interruptCalls(evidence.hooks, at) }),
    seeRefused: (refused) => {
      const hooks = refusePrompt(evidence.hooks, refused);
      const isNew = hooks !== evidence.hooks;
      if (isNew) see({ hooks });
      return isNew;
    },
    seeLimit: (limit, message) => see({ hooks: nameLimit(evidence.hooks, limit, message) }),
    loseHooks: () => see({ hooks: NO_HOOKS }),
    seeScreen: (frame, at) => see({ screen: options.observe(evidence.screen, frame, at) }),
    loseScreen: () => see({ screen: null }),
    seeJson: (json) => {
      const { json: _, ...rest } = evidence;
      evidence = json === undefined ? rest : { ...rest, json };
      advance();
    },
    startAnew: () => {
      evidence = blank(NO_HOOKS, evidence.json);
      memory = null;
      advance();
    },
    until: (condition, timeoutMs) => waitUntil({ condition, timeoutMs, clock, advanced }),
    dispose: () => {
      stopNoticingSteps();
      cancelRecheck?.();
      cancelRecheck = null;
      advanced.clear();
    },
  };
}

function blank(hooks: HookEvidence, json: JsonEvidence | undefined): Evidence {
  return { process: null, screen: null, hooks, registry: null, ...(json === undefined ? {} : { json }) };
}

interface Wait {
  condition: () => boolean;
  timeoutMs: number;
  clock: Clock;
  advanced: Emitter;
}

function waitUntil({ condition, timeoutMs, clock, advanced }: Wait): Promise<boolean> {
  if (condition()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const finish = (met: boolean): void => {
      cancel();
      stopListening();
      resolve(met);
    };
    const stopListening = advanced.on(() => {
      if (condition()) finish(true);
    });
    const cancel = clock.after(timeoutMs, () => finish(false));
  });
}
