import { type Deliveries, RECENT } from '../../core/delivery/record.ts';
import { draftOf, type PromptSeen, type Seen } from '../../core/delivery/seen.ts';
import { seeTextsLeft } from '../../core/delivery/standing.ts';
import { isAtLeast, parseClaudeVersion } from '../../platform/claude/index.ts';
import type { SessionActor } from './actor.ts';
import { conversedIn } from './continued.ts';
import { isQueueStopped } from './queue-stop.ts';

/** Returns what CBOS can currently see of a session's prompt. */
export function seePrompt({ status, record }: Pick<SessionActor, 'status' | 'record'>): PromptSeen {
  const { screen, hooks } = status.evidence();
  return { status: status.memory(), screen, hooks, isLaunched: record.launchId !== null };
}

/** Returns everything on which delivery decisions are based, as of now. */
export function seeDelivery(actor: SessionActor): Seen {
  const { record, deps } = actor;
  // The time must be read first: `now` may notice that the clock was set, and then shifts the times of all evidence.
  const now = { wall: deps.clock.now(), elapsed: deps.clock.elapsed() };
  const prompt = seePrompt(actor);
  const deliveries = deliveriesOf(actor);
  if (actor.textsLeft !== null) {
    actor.textsLeft = seeTextsLeft(actor.textsLeft, draftOf(prompt), deliveries, now.elapsed);
  }
  return {
    ...prompt,
    now,
    deliveries,
    isDead: actor.isDead(),
    isParked: actor.isParked(),
    isAdopted: record.adopted,
    isQueueStopped: isQueueStopped(actor),
    isOverBudget: deps.budgets.overBudget(record) !== null,
    isUnread: actor.unread.isWaiting(),
    conversed: conversedIn(record, actor.status.evidence().process?.startedAt ?? null, now.wall),
    enterDoes: enterOf(actor),
    takesManyPastes: takesManyPastes(record.claudeVersion),
    answerKey: record.answerKey,
    clearedAt: actor.promptKeys.clearedAt(),
    left: actor.textsLeft,
    told: null,
    isEnterWithheld: false,
  };
}

/** Returns what Enter does in the prompt of a terminal session instead of submitting it, or null if it submits. */
export const enterOf = ({ deps, record }: SessionActor): string | null =>
  record.type === 'screen' ? (deps.enterDoes?.(record) ?? null) : null;

/**
 * Returns the session's deliveries by status. Each list is read only when it is first used, because most callers need
 * only one of them.
 */
export function deliveriesOf({ deps: { deliveries }, record: { id } }: SessionActor): Deliveries {
  const queued = lazily(() => deliveries.withStatus(id, 'queued'));
  const sent = lazily(() => deliveries.withStatus(id, 'sent'));
  const unknown = lazily(() => deliveries.withStatus(id, 'unknown'));
  const recent = lazily(() => deliveries.recent(id, RECENT));
  return {
    get queued() {
      return queued();
    },
    get sent() {
      return sent();
    },
    get unknown() {
      return unknown();
    },
    get recent() {
      return recent();
    },
  };
}

function lazily<T extends object>(read: () => T): () => T {
  let value: T | null = null;
  return () => {
    value ??= read();
    return value;
  };
}

/**
 * Reports whether long text must be split into many small pastes. Since version 2.1.150, Claude Code wraps a long paste
 * unless it arrives in many small ones. Older versions lose text that arrives in many small pastes.
 */
export function takesManyPastes(version: string | null): boolean {
  const numbers = version === null ? null : parseClaudeVersion(version);
  return numbers !== null && isAtLeast(numbers, '2.1.150');
}
