import {
  advanceStatus,
  DEFAULT_THRESHOLDS,
  type Evidence,
  NO_HOOKS,
  observeHook,
  observeScreen,
  type RegistryEvidence,
  type StatusMemory,
} from '../../../src/core/status/index.ts';
import type { Question } from '../../../src/protocol/index.ts';
import type { EvidenceStep } from '../../harness/evidence.ts';

/** A status along the way, as a client would receive it. */
export interface AnnouncedStatus {
  at: number;
  /** `primary/detail` */
  word: string;
  rule: string;
  evidence: string;
  health: string;
  question: Question | null;
}

const REGISTRY_WORDS = ['idle', 'busy', 'waiting', 'shell'] as const;

function registryOf(
  record: Record<string, unknown> | null,
  readAt: number,
  startedAt: number,
): RegistryEvidence | null {
  if (record === null) return null;
  const { status, statusUpdatedAt, waitingFor, sessionId } = record;
  return {
    status: REGISTRY_WORDS.find((word) => word === status) ?? null,
    waitingFor: typeof waitingFor === 'string' ? waitingFor : null,
    statusUpdatedAt: typeof statusUpdatedAt === 'number' ? statusUpdatedAt - startedAt : null,
    sessionId: typeof sessionId === 'string' ? sessionId : null,
    readAt,
  };
}

/**
 * Plays recorded evidence through the status as the live server would: one step per piece of evidence, and one at
 * each `recheckAt`.
 * @param sources the sources that count; the others are left out, as for a session without them
 */
export function announce(
  steps: readonly EvidenceStep[],
  options: {
    sources?: readonly ('hook' | 'screen' | 'registry' | 'process')[];
    tailMs?: number;
    onStep?: (step: EvidenceStep) => void;
    /** called with all available evidence each time it is evaluated */
    onEvidence?: (evidence: Evidence, at: number) => void;
  } = {},
): AnnouncedStatus[] {
  const sources: readonly string[] = options.sources ?? ['hook', 'screen', 'registry', 'process'];
  const announced: AnnouncedStatus[] = [];
  let evidence: Evidence = { process: null, screen: null, hooks: NO_HOOKS, registry: null };
  let memory: StatusMemory | null = null;
  let recheckAt: number | null = null;
  let clock = 0;
  let startedAt = 0;
  const advance = (now: number): void => {
    options.onEvidence?.(evidence, now);
    const step = advanceStatus(memory, { evidence, now, thresholds: DEFAULT_THRESHOLDS });
    memory = step.memory;
    recheckAt = step.recheckAt;
    if (!step.changed) return;
    const { primary, detail, because, health, question } = step.memory;
    const word = `${primary ?? 'unknown'}${detail === null ? '' : `/${detail}`}`;
    announced.push({ at: now, word, rule: because.rule, evidence: because.evidence, health, question });
  };
  const runUntil = (time: number): void => {
    while (recheckAt !== null && recheckAt <= time) {
      clock = recheckAt;
      advance(recheckAt);
    }
  };
  for (const step of steps) {
    runUntil(step.t - 1);
    clock = Math.max(clock, step.t);
    options.onStep?.(step);
    if (step.source === 'meta') startedAt = step.startedAt;
    if (!sources.includes(step.source)) continue;
    if (step.source === 'process') {
      evidence = { ...evidence, process: { alive: step.alive, startedAt: 0, endedAt: step.alive ? null : step.t } };
    }
    if (step.source === 'screen') {
      evidence = { ...evidence, screen: observeScreen(evidence.screen, step.frame, clock) };
    }
    if (step.source === 'hook') {
      const { event, payload, t: at } = step;
      evidence = { ...evidence, hooks: observeHook(evidence.hooks, { at, event, payload }) };
    }
    if (step.source === 'registry') evidence = { ...evidence, registry: registryOf(step.record, step.t, startedAt) };
    advance(clock);
  }
  runUntil(clock + (options.tailMs ?? 1_000));
  return announced;
}
