import { type Status, stateOf } from '../../protocol/index.ts';
import { derive } from './derive.ts';
import type { Evidence, StatusMemory, Verdict } from './evidence.ts';
import { identify } from './identity.ts';
import type { Millis } from './millis.ts';
import type { Thresholds } from './thresholds.ts';

/** How long a recovered session keeps the health `RECOVERED` if nothing else changes. */
export const RECOVERED_MS = 5_000;

export interface StatusInput {
  evidence: Evidence;
  now: Millis;
  thresholds: Thresholds;
}

export interface StatusStep {
  memory: StatusMemory;
  /** when to call again without new evidence, or null if the passage of time changes nothing */
  recheckAt: Millis | null;
  /** whether anything that a client shows has changed, apart from running clocks */
  changed: boolean;
}

/**
 * Returns when a session last gave a sign of life, or null if it never did. Signs of life are a change on the screen, a
 * hook, and a new status in the registry.
 */
export function lastSignOfLife(evidence: Evidence): Millis | null {
  const times = [
    evidence.screen?.changedAt,
    evidence.hooks.lastAt,
    evidence.registry?.statusUpdatedAt,
    evidence.json?.lastAt,
  ];
  return newest(times);
}

function newest(times: readonly (Millis | null | undefined)[]): Millis | null {
  return times.reduce<Millis | null>((best, at) => (at == null ? best : Math.max(best ?? at, at)), null);
}

/**
 * The sources whose evidence changes only with what it tells, such as the next tool call, or the program that a wrapper
 * has replaced itself with.
 */
const EXACT_SOURCES: ReadonlySet<string> = new Set(['hook', 'json', 'process']);

/**
 * Computes the next status from the previous one: when the status began, the session's health, whether the session is
 * stuck, and the identity of its question. Call this function when there is new evidence, and at `recheckAt`. Dead is a
 * final status. When a session is restarted, `previous` is null at first.
 */
export function advanceStatus(previous: StatusMemory | null, input: StatusInput): StatusStep {
  const { evidence, now, thresholds } = input;
  if (previous?.health === 'DEAD') return { memory: previous, recheckAt: null, changed: false };
  const verdict = derive(evidence, now, thresholds);
  const stuckAt = stuckTime(verdict, input);
  const isStuck = stuckAt !== null && now >= stuckAt;
  const primary = isStuck ? 'stuck' : verdict.primary;
  const detail = isStuck ? null : verdict.detail;
  const hasMoved = previous === null || previous.primary !== primary || previous.detail !== detail;
  const health = healthOf(previous, { primary, hasMoved, now });
  const asked = { shown: previous?.shown ?? [], question: previous?.question ?? null };
  const { questions: identified, shown } = identify(asked, verdict, evidence);
  const questions = identified.map((question) => {
    const before = previous?.questions.find(({ id }) => id === question.id);
    return before === undefined ? question : { ...question, asked_at: before.asked_at };
  });
  const question = questions[0] ?? null;
  // If the screen showed the end of a turn first, the answer is known only from the source that reports it later.
  const isAnswer = detail === 'waiting_input' && previous !== null && !EXACT_SOURCES.has(previous.because.source);
  const isNewFact =
    EXACT_SOURCES.has(verdict.because.source) && (previous?.because.rule === verdict.because.rule || isAnswer);
  // The status is unknown both while a session starts and while its set-up runs, but these are two different states.
  const isOtherUnknown = primary === null && previous?.because.rule !== verdict.because.rule;
  const hasNewReason = isOtherUnknown || (isNewFact && previous?.because.evidence !== verdict.because.evidence);
  const hasNewQuestion = JSON.stringify(previous?.questions ?? []) !== JSON.stringify(questions);
  const isAnnounced = hasMoved || hasNewReason || hasNewQuestion;
  const memory: StatusMemory = {
    primary,
    detail,
    state: stateOf(primary, detail, previous?.state),
    health: health.health,
    since: hasMoved ? now : previous.since,
    recoveredAt: health.recoveredAt,
    question,
    questions,
    shown,
    // The status keeps its original reason, because several sources report the same status one after another.
    because: isAnnounced ? verdict.because : previous.because,
    wait: verdict.wait,
    lastQuestion: question?.text ?? previous?.lastQuestion ?? null,
    ...(verdict.isInterrupted === true ? { isInterrupted: true } : {}),
  };
  const recoveryEnds = health.recoveredAt === null ? null : health.recoveredAt + RECOVERED_MS;
  return {
    memory,
    recheckAt: soonest([verdict.recheckAt, isStuck ? null : stuckAt, recoveryEnds]),
    changed: isAnnounced || previous.health !== memory.health || previous.isInterrupted !== memory.isInterrupted,
  };
}

const soonest = (times: readonly (Millis | null)[]): Millis | null =>
  times.reduce<Millis | null>((best, at) => (at === null ? best : Math.min(best ?? at, at)), null);

/**
 * Returns when the verdict becomes stuck. Silence is meaningful only if a running turn normally shows signs of life. On
 * the screen, the spinner moves several times a second. In a JSON session, events report each piece of an answer.
 * During a long tool call, hooks and the registry are silent for minutes. Events are also silent during a tool call and
 * while a conversation is being compacted.
 */
function stuckTime(verdict: Verdict, { evidence, thresholds }: StatusInput): Millis | null {
  if (verdict.primary !== 'active') return null;
  const isTelling = evidence.json !== undefined && TELLING_DETAILS.has(verdict.detail);
  if (evidence.screen === null && !isTelling) return null;
  // While Claude Code waits before it retries a request, silence is normal.
  const lifeAt = newest([lastSignOfLife(evidence), evidence.json?.retry?.nextAt]);
  return lifeAt === null ? null : lifeAt + thresholds.stuckMs;
}

/** The details for which a JSON session sends events continuously. */
const TELLING_DETAILS: ReadonlySet<Verdict['detail']> = new Set(['thinking', 'responding']);

function healthOf(
  previous: StatusMemory | null,
  step: { primary: StatusMemory['primary']; hasMoved: boolean; now: Millis },
): Pick<StatusMemory, 'health' | 'recoveredAt'> {
  const { primary, hasMoved, now } = step;
  if (primary === 'dead') return { health: 'DEAD', recoveredAt: null };
  if (primary === 'stuck') return { health: 'STUCK', recoveredAt: null };
  if (previous?.health === 'STUCK') return { health: 'RECOVERED', recoveredAt: now };
  const isRecovering = previous?.recoveredAt != null && !hasMoved && now - previous.recoveredAt < RECOVERED_MS;
  return isRecovering
    ? { health: 'RECOVERED', recoveredAt: previous.recoveredAt }
    : { health: 'ALIVE', recoveredAt: null };
}

/** Returns the status in the form that the server sends to clients. */
export function statusView(memory: StatusMemory, evidence: Evidence, now: Millis): Status {
  const lifeAt = lastSignOfLife(evidence) ?? memory.since;
  const progressAt =
    newest([
      evidence.screen?.progressedAt,
      evidence.hooks.lastAt,
      evidence.registry?.statusUpdatedAt,
      evidence.json?.lastAt,
    ]) ?? memory.since;
  return {
    primary: memory.primary,
    detail: memory.detail,
    health: memory.health,
    since: new Date(memory.since).toISOString(),
    unchanged_ms: Math.max(0, Math.round(now - lifeAt)),
    quiet_ms: Math.max(0, Math.round(now - progressAt)),
    because: memory.because,
    question: memory.question,
    questions: [...memory.questions],
    ...(memory.isInterrupted === true ? { interrupted: true } : {}),
  };
}
