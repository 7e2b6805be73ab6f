import type { Reply } from '../../core/answer/reply.ts';
import { replyOf } from '../../core/approval/index.ts';
import type { AuditOutcome } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { placeOfRecord } from '../session/place.ts';
import type { Dispose } from '../sessions.ts';
import type { Approvals, AskedInput } from './approvals.ts';

/**
 * How long a question may be hidden from the faces while it is checked against the rules. A check takes far less time.
 */
const HOLD_MS = 1_500;

/** A session's question that a rule may be able to answer. */
export interface RuledQuestion {
  /** the id of the question */
  id: string;
  /** returns the tool call that the question is about; null if the question is no longer open */
  asked(): Promise<AskedInput | null>;
  /** returns the number of the JSON session's last event */
  seq(): number | null;
  /**
   * Gives the reply to Claude Code.
   * @returns null if nobody is waiting for the reply any more
   */
  give(reply: Reply): Promise<GivenReply | null>;
}

/** A reply that has been given, but may not have taken effect yet. */
export interface GivenReply {
  /** resolves when the status no longer shows the question, or after a time limit */
  gone: Promise<unknown>;
  /** returns the outcome of the reply; called once the question is gone */
  outcome(): Promise<AuditOutcome>;
}

/**
 * Answers a question once by rule, or leaves it to a person. The rules are applied twice. They are first applied right
 * away, so that a question that only a person can answer is not delayed. They are applied again in the session's
 * mailbox, where nobody else can answer at the same time. The decision is stored before the reply is given. If anything
 * fails, the question stays open.
 */
async function answerByRule(actor: SessionActor, approvals: Approvals, question: RuledQuestion): Promise<void> {
  const { clock, log } = actor.deps;
  if (!approvals.areOn() || approvals.isDecided(actor.record.id, question.id)) return;
  const release = actor.heldChanges.begin();
  const cancel = clock.after(HOLD_MS, release);
  try {
    const asked = await question.asked();
    if (asked === null || (await verdictOf(actor.record, approvals, asked)).decision === 'ask') return;
    const given = await actor.mailbox.post(() => decideNow(actor, approvals, question));
    if (given === null) return;
    await given.reply.gone;
    release();
    approvals.conclude(given.row, await given.reply.outcome());
  } catch (cause) {
    log.warn({ slug: actor.slug, err: cause }, 'the approval rules failed; a person must answer the question');
  } finally {
    cancel();
    release();
  }
}

const verdictOf = (record: SessionActor['record'], approvals: Approvals, asked: AskedInput) =>
  approvals.verdict({ id: record.id, name: record.slug, path: placeOfRecord(record) }, asked);

/** Replies inside the session's mailbox, but waits for the outcome of the reply outside the mailbox. */
async function decideNow(
  actor: SessionActor,
  approvals: Approvals,
  question: RuledQuestion,
): Promise<{ row: number; reply: GivenReply } | null> {
  const { log } = actor.deps;
  if (actor.personAnswers.isRunning() || actor.isDead()) return null;
  const asked = await question.asked();
  if (asked === null) return null;
  const { decision, rules } = await verdictOf(actor.record, approvals, asked);
  // A person may have answered the question while the rules were being read.
  if (decision === 'ask' || actor.personAnswers.isRunning()) return null;
  const { recording, record } = actor;
  const row = approvals.record({
    ...{ sessionId: record.id, session: record.slug, asked: question.id, decision, rules },
    ...{ tool: asked.tool, input: asked.input, seq: question.seq() },
    place: recording === null ? null : { epoch: recording.epoch(), offset: recording.end() },
  });
  if (row === null) return null;
  try {
    const reply = await question.give(replyOf(decision, rules, asked.input));
    log.info(
      { slug: record.slug, tool: asked.tool, decision, rules: rules.map(({ id }) => id) },
      'a rule has answered',
    );
    if (reply !== null) return { row, reply };
    approvals.conclude(row, 'overtaken');
    return null;
  } catch (cause) {
    approvals.conclude(row, 'failed');
    throw cause;
  }
}

/** Tries to answer each question that arrives. */
export function answerArriving(
  actor: SessionActor,
  approvals: Approvals,
  questionsIn: (arrival: Parameters<Parameters<SessionActor['onArrival']>[0]>[0]) => readonly RuledQuestion[],
): Dispose {
  return actor.onArrival((arrival) => {
    for (const question of questionsIn(arrival)) void answerByRule(actor, approvals, question);
  });
}
