import { statusOf } from '../../core/delivery/record.ts';
import { type ClaudeEvent, isAborted, readPromptRefusal } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { DeliveryJournal } from '../session/delivery-journal.ts';
import { isQueueStopped } from '../session/queue-stop.ts';
import { isMissing, showingMissing } from '../session/session-conversation.ts';
import type { Dispose } from '../sessions.ts';
import type { JsonDriver } from './driver.ts';

/**
 * How long to wait after a server restart for the confirmation of a prompt that the previous server was handing over.
 * Claude Code was running all the time and reads its input at once.
 */
const LEFT_CONFIRM_MS = 5_000;

/** A JSON session to which prompts are delivered. */
export interface Delivering {
  actor: SessionActor;
  driver: JsonDriver;
  journal: DeliveryJournal;
}

/** Returns what finds out from Claude Code's events what became of prompts. */
export function createConfirmation({ actor, journal }: Delivering): (event: ClaudeEvent) => void {
  /** the prompt that Claude Code began last */
  let begun: string | null = null;
  /** the prompts of the turn that is running */
  const running = new Set<string>();

  const recordOf = (id: string) => actor.deps.deliveries.get(actor.record.id, id);

  /** Marks a prompt as refused, which Claude Code reports after it has begun the prompt (2.1.330). */
  function refuse(event: ClaudeEvent): void {
    const notice = event.type === 'result' && event.num_turns === 0 ? event.result : event.content;
    const refusal = typeof notice === 'string' ? readPromptRefusal(notice) : null;
    const id = begun ?? journal.withStatus('sent')[0]?.id;
    if (refusal === null || id === undefined || recordOf(id) === null) return;
    journal.apply([{ id, phase: 'refused', reason: refusal.words }]);
  }

  /** Marks a prompt whose turn was interrupted. */
  function interrupt(id: string): void {
    if (recordOf(id)?.phase === 'taken') journal.apply([{ id, phase: 'interrupted' }]);
  }

  /**
   * Marks a prompt as taken. Claude Code repeats each prompt that it takes; newer versions first report that they have
   * queued the prompt.
   */
  function confirmTaken(event: ClaudeEvent): void {
    const id = event.type === 'command_lifecycle' ? event.command_uuid : event.isReplay === true ? event.uuid : null;
    if (event.type === 'result' || (event.type === 'system' && event.subtype === 'informational')) refuse(event);
    if (typeof id !== 'string') return;
    if (event.state === 'started') begun = id;
    // After an interrupt, the turn of the next prompt may begin at once, so its result tells nothing about this one.
    if (event.state === 'cancelled') interrupt(id);
    if (event.state === 'started' || event.isReplay === true) running.add(id);
    const record = recordOf(id);
    const status = record === null ? null : statusOf(record);
    if (status === 'sent' || status === 'unknown') journal.apply([{ id, phase: 'taken' }]);
  }

  return (event) => {
    confirmTaken(event);
    if (event.type !== 'result') return;
    if (isAborted(event)) running.forEach(interrupt);
    running.clear();
  };
}

/**
 * Marks the unconfirmed prompts as failed once the process has ended, because without a process no prompt can still
 * be taken. The prompts in Claude Code's queue are lost with the process (2.1.330).
 */
export function failUnconfirmed({ actor, driver, journal }: Delivering): void {
  if (driver.isRunning()) return;
  for (const { id } of journal.withStatus('sent')) journal.apply([{ id, phase: 'failed' }]);
  const queued = driver.evidence.open.filter(({ stage }) => stage === 'queued');
  for (const { id } of queued) {
    const record = actor.deps.deliveries.get(actor.record.id, id);
    if (record?.phase === 'taken') journal.apply([{ id, phase: 'session_ended' }]);
  }
}

/**
 * The previous server may have been killed before it wrote a prompt. Otherwise the session would seem to run that
 * prompt forever, and CBOS would hold everything after it.
 */
export function settleLeft(parts: Delivering, requireSaved: () => Promise<unknown>): Dispose {
  const { actor, driver, journal } = parts;
  showWhyHeld(parts, requireSaved);
  failUnconfirmed(parts);
  const left = journal.withStatus('sent');
  if (left.length === 0) return () => undefined;
  const giveUp = (): void => {
    for (const { id } of left) {
      if (statusOf(journal.find(id)) !== 'sent') continue;
      journal.apply([{ id, phase: 'no_sign' }]);
      driver.withdraw(id);
    }
  };
  return actor.deps.clock.after(LEFT_CONFIRM_MS, giveUp);
}

/**
 * A lost conversation pauses the queue, and the pause outlives the server. The reason is looked up again, because
 * otherwise the faces would show a pause that nobody asked for.
 */
function showWhyHeld({ actor, driver, journal }: Delivering, requireSaved: () => Promise<unknown>): void {
  if (driver.isRunning() || !isQueueStopped(actor) || journal.withStatus('queued').length === 0) return;
  showingMissing(actor, requireSaved).catch((cause: unknown) => {
    const { slug, deps } = actor;
    if (!isMissing(cause)) deps.log.error({ slug, err: cause }, 'a conversation could not be looked for');
  });
}
