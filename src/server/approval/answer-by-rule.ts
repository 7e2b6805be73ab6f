import type { Reply } from '../../core/answer/reply.ts';
import { replyOf } from '../../core/approval/index.ts';
import type { AuditOutcome } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import type { AskedInput } from './approvals.ts';

/** How long a question may be hidden from the faces while the rules check it. A check takes far less time. */
const HOLD_MS = 1_500;

/** A session's question that a rule may answer. */
export interface RuledQuestion {
  /** identifies the question */
  id: string;
  /** returns the requested call; null if the question is over */
  asked(): Promise<AskedInput | null>;
  /** the last event of the JSON session */
  seq(): number | null;
  /**
   * Gives the reply.
   * @returns null if nobody is waiting for the reply any more
   */
  give(reply: Reply): Promise<GivenReply | null>;
}

/** A reply that has been given but has not taken effect yet. */
export interface GivenReply {
  /** resolves when the status no longer shows the question, or after some time */
  gone: Promise<unknown>;
  /** returns the outcome; called when the question is gone */
  outcome(): Promise<AuditOutcome>;
}

/**
 * Answers a question by rule, once, or leaves it to a person. The rules are applied twice. The first time is right
 * away, which avoids delaying a question for a person. The second time is in the session's mailbox, where nobody else
 * can answer at the same moment. The decision is stored before the reply is given. If anything fails, the question
 * stays open.
 */
export async function answerByRule(actor: SessionActor, question: RuledQuestion): Promise<void> {
  const { approvals, clock, log } = actor.deps;
  if (!approvals.areOn() || approvals.isDecided(actor.record.id, question.id)) return;
  const release = actor.heldChanges.begin();
  const cancel = clock.after(HOLD_MS, release);
  try {
    const asked = await question.asked();
    if (asked === null || (await verdictOf(actor, asked)).decision === 'ask') return;
    const given = await actor.mailbox.post(() => decideNow(actor, question));
    if (given === null) return;
    await given.reply.gone;
    release();
    approvals.conclude(given.row, await given.reply.outcome());
  } catch (cause) {
    log.warn({ slug: actor.slug, err: cause }, 'the approval rules could not answer; the question is left to a person');
  } finally {
    cancel();
    release();
  }
}

const verdictOf = ({ deps, record }: SessionActor, asked: AskedInput) =>
  deps.approvals.verdict({ id: record.id, name: record.slug, path: record.path }, asked);

/** Runs in the mailbox, but waits for the outcome of the reply outside of it. */
async function decideNow(
  actor: SessionActor,
  question: RuledQuestion,
): Promise<{ row: number; reply: GivenReply } | null> {
  const { approvals, log } = actor.deps;
  if (actor.personAnswers.isRunning() || actor.isDead()) return null;
  const asked = await question.asked();
  if (asked === null) return null;
  const { decision, rules } = await verdictOf(actor, asked);
  // A person may have answered while the rules were being read.
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

/** Answers each question that arrives. */
export function answerArriving(
  actor: SessionActor,
  questionsIn: (arrival: Parameters<Parameters<SessionActor['onArrival']>[0]>[0]) => readonly RuledQuestion[],
): Dispose {
  return actor.onArrival((arrival) => {
    for (const question of questionsIn(arrival)) void answerByRule(actor, question);
  });
}
