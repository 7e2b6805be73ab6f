import {
  advanceStatus,
  type Evidence,
  forgetWait,
  type HookEvent,
  type HookEvidence,
  type JsonEvidence,
  moveEvidence,
  moveMemory,
  NO_HOOKS,
  nameLimit,
  observeHook,
  type ProcessEvidence,
  type RegistryEvidence,
  type ScreenFrame,
  type ScreenObserver,
  type StatusMemory,
  settleCall,
  statusView,
  type Thresholds,
} from '../../core/status/index.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { RateLimit, Status } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

export interface SessionStatusOptions {
  clock: Clock;
  thresholds: Thresholds;
  observe: ScreenObserver;
  /** the evidence and status that a previous server stored; they preserve `since` */
  hooks: HookEvidence | null;
  /** how far their times have been shifted since they were recorded; see `Evidence` */
  movedMs: number;
  memory: StatusMemory | null;
  /** for a JSON session, the evidence of its events so far */
  json: JsonEvidence | undefined;
  /** called after the status has changed; `before` is null the first time */
  onChange: (memory: StatusMemory, before: StatusMemory | null) => void;
}

/**
 * All evidence of one session, and the resulting status. Evidence arrives in events. A timer runs only while the
 * evidence itself determines a time for the next check (a threshold, or a lasting contradiction).
 */
export interface SessionStatus {
  evidence(): Evidence;
  memory(): StatusMemory;
  view(): Status;
  seeProcess(process: ProcessEvidence): void;
  seeRegistry(registry: RegistryEvidence | null): void;
  seeHook(event: HookEvent): void;
  /** Records that a hook is no longer waiting for the reply to its question. */
  forgetWait(id: string): void;
  /** Records that the reply to a hook's question was accepted. */
  settleCall(id: string, isRefused: boolean): void;
  /** Records the usage limit behind the failure that ended the last turn with this message. */
  seeLimit(limit: RateLimit, message: unknown): void;
  /** Records that hooks were lost. Until the next hooks arrive, the other sources decide. */
  loseHooks(): void;
  seeScreen(frame: ScreenFrame, at: number): void;
  /**
   * Records that the last known screen is no longer what the session shows, and that the current one cannot be seen.
   */
  loseScreen(): void;
  /** undefined if the session is no longer a JSON session */
  seeJson(json: JsonEvidence | undefined): void;
  /** Records a new launch, after which no earlier evidence counts. */
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
    // The time is read first, because `now` may notice that the clock was set.
    const now = clock.now();
    const before = memory;
    const next = advanceStatus(before, { evidence, now, thresholds: options.thresholds });
    memory = next.memory;
    cancelRecheck?.();
    cancelRecheck = next.recheckAt === null ? null : clock.after(Math.max(0, next.recheckAt - now), advance);
    if (before === null || next.changed) options.onChange(memory, before);
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
    forgetWait: (id) => see({ hooks: forgetWait(evidence.hooks, id) }),
    settleCall: (id, isRefused) => see({ hooks: settleCall(evidence.hooks, id, isRefused) }),
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
