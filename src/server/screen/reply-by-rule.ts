import type { Reply } from '../../core/answer/reply.ts';
import type { AuditOutcome } from '../../protocol/index.ts';
import { answerArriving, type RuledQuestion } from '../approval/answer-by-rule.ts';
import type { Approvals } from '../approval/approvals.ts';
import { askedIn } from '../approval/asked-input.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import { hookOutput, type Watch, watchOutcome } from './answer-by-reply.ts';

/** How long to wait for the dialog to disappear after a reply. This takes 100 ms, or longer on a loaded machine. */
const GOING_MS = 1_000;
/** How long after its hook a dialog may still be drawn. Usually, the delay is about 100 ms. */
const DRAWN_MS = 400;
/** How long to wait for the outcome of a reply. */
const OUTCOME_MS = 4_000;

/** Answers permission requests by the user's approval rules, through the hook that is waiting for the reply. */
export function createRuleReplies(actor: SessionActor, approvals: Approvals): Dispose {
  return answerArriving(actor, approvals, (arrival) => {
    if (arrival.kind !== 'hook' || arrival.hook.event !== 'PermissionRequest' || arrival.hook.wait === null) return [];
    return [questionOf(actor, arrival.hook.wait)];
  });
}

function questionOf(actor: SessionActor, wait: string): RuledQuestion {
  const { waits } = actor.deps;
  return {
    id: wait,
    asked: async () => askedIn(await waits.asked(wait)),
    seq: () => null,
    give: async (reply) => {
      const tool = actor.status.evidence().hooks.tools.find((one) => one.wait?.id === wait);
      if (tool === undefined) return null;
      const isOpen = (): boolean => actor.status.memory().wait === wait;
      const watch = watchOutcome(actor, { kind: 'permission', isOpen, tool, reply });
      const isGiven = await waits.reply(wait, hookOutput(reply)).catch((cause: unknown) => {
        watch.dispose();
        throw cause;
      });
      if (isGiven) actor.intake.settleCall(wait, reply.behavior === 'deny');
      actor.intake.forgetWait(wait);
      if (!isGiven) {
        watch.dispose();
        return null;
      }
      const { status } = actor;
      return {
        gone: untilGone(status),
        outcome: () => outcomeOf(actor, watch, reply),
      };
    },
  };
}

/**
 * Waits until the dialog is gone. The hook is faster than the screen, so the dialog may still be drawn for a moment
 * before it disappears.
 */
async function untilGone(status: SessionActor['status']): Promise<void> {
  const isOpen = (): boolean => status.memory().question !== null;
  do await status.until(() => !isOpen(), GOING_MS);
  while (!isOpen() && (await status.until(isOpen, DRAWN_MS)));
}

async function outcomeOf({ status }: SessionActor, watch: Watch, reply: Reply): Promise<AuditOutcome> {
  try {
    await status.until(() => watch.outcome() !== 'open', OUTCOME_MS);
    const outcome = watch.outcome();
    if (outcome === 'taken') return 'given';
    // After a no, the model may think for a long time without drawing anything.
    if (outcome === 'open')
      return reply.behavior === 'deny' && status.memory().primary === 'active' ? 'given' : 'unconfirmed';
    return 'overtaken';
  } finally {
    watch.dispose();
  }
}
