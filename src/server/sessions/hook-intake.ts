import { openWaits } from '../../core/status/index.ts';
import {
  awaitUsageLimit,
  type ReplyWaits,
  readUsageLimit,
  SET_UP_EVENT,
  type SpooledHook,
} from '../../platform/claude/index.ts';
import type { Approvals } from '../approval/approvals.ts';
import { answerCall } from '../approval/call-guard.ts';
import { seeSetUpEnd } from '../worktrees/begin-set-up.ts';
import { followAgent } from './follow-agent.ts';
import type { RecordSources } from './follow-records.ts';
import type { Member } from './listed-sessions.ts';
import { ownPayload } from './own-payload.ts';

export interface HookSources extends RecordSources {
  waits: ReplyWaits;
  approvals: Approvals;
}

/**
 * Passes the hooks of the spool to the sessions that fired them.
 * @param onAccount called when a hook may have reported another account
 */
export function createHookIntake(options: HookSources, onAccount: () => void, isDisposed: () => boolean) {
  const { listed, log } = options;
  /** the ids of waits that show a call and are being answered */
  const answering = new Set<string>();

  /**
   * Answers a hook that shows a tool call. The wait of such a hook is not a question to the user, so it does not change
   * the session's status.
   */
  function seeShown(hook: SpooledHook, member: Member | null): SpooledHook {
    const { wait } = hook;
    if (hook.event !== 'PreToolUse' || wait === null) return hook;
    answering.add(wait);
    const answer = member === null ? options.waits.leave(wait) : answerCall(member.actor, options.approvals, wait);
    void answer
      .catch((cause: unknown) => log.warn({ err: cause }, 'a hook could not be told to ask'))
      .finally(() => answering.delete(wait));
    return { ...hook, wait: null };
  }

  async function see(shown: SpooledHook): Promise<void> {
    const member = shown.launchId === null ? null : listed.byLaunch(shown.launchId);
    if (shown.event === SET_UP_EVENT) return member === null ? undefined : seeSetUpEnd(member.actor, shown.payload);
    const hook = seeShown(shown, member);
    if (member === null) log.debug({ event: hook.event }, 'a hook came from a session that is not listed');
    // For a JSON session, nothing else is needed here, because its events report everything else.
    else if (member.actor.record.type === 'screen') {
      const { actor } = member;
      await followAgent(actor, hook.pid, options.registryDir);
      const payload = ownPayload(options, actor, hook.payload);
      const own = { ...hook, payload };
      const limit = await tryTo(actor, () => readUsageLimit(own));
      actor.intake.seeHook(limit == null ? own : { ...own, limit });
      onAccount();
      if (limit === undefined) void seeLimitLater(actor, own);
    }
  }

  /** The transcript may mention the usage limit a moment later. The status is updated as soon as it does. */
  async function seeLimitLater(actor: Member['actor'], hook: SpooledHook): Promise<void> {
    const limit = await tryTo(actor, () => awaitUsageLimit(hook));
    if (limit !== null && !isDisposed()) actor.intake.seeLimit(limit, hook.payload.last_assistant_message);
  }

  /**
   * Releases waiting hooks whose question belongs to no session, because their session was removed or their launch is
   * over.
   */
  async function leaveUnknownWaits(): Promise<void> {
    const known = new Set(listed.all().flatMap(({ actor }) => openWaits(actor.status.evidence().hooks)));
    for (const id of await options.waits.list()) {
      if (!known.has(id) && !answering.has(id)) await options.waits.leave(id);
    }
  }

  return { see, leaveUnknownWaits };
}

/** If the transcript cannot be read, the turn counts as failed, as after any other error. */
async function tryTo<T>({ slug, deps }: Member['actor'], read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (cause) {
    deps.log.warn({ slug, err: cause }, 'the transcript could not be read for the usage limit');
    return null;
  }
}
