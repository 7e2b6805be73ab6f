import type { Clock } from '../clock.ts';
import type { Member } from './listed-sessions.ts';

/**
 * Ends a session on request. The request is saved before the first signal is sent, so that even if this server dies
 * before the session has ended, the next server does not count the session as lost.
 * @throws CatalogueError session_dead, not_adopted, kill_failed
 */
export async function stopSession(
  { actor, controls }: Pick<Member, 'actor' | 'controls'>,
  clock: Clock,
): Promise<void> {
  // The work goes through the mailbox, because the session may be waking right now.
  if (actor.isParked() && (await actor.mailbox.post(async () => stopParked(actor)))) return;
  if (actor.record.loss !== null && (await actor.mailbox.post(async () => giveUp(actor)))) return;
  if (actor.isDead()) return controls.end();
  await endAsked({ actor, controls }, clock);
}

/**
 * Works like {@link stopSession}, but for callers that are already running in the session's mailbox. A session that is
 * already stopped stays stopped.
 * @throws CatalogueError not_adopted, kill_failed
 */
export async function stopInTurn(member: Pick<Member, 'actor' | 'controls'>, clock: Clock): Promise<void> {
  const { actor } = member;
  if (stopParked(actor) || giveUp(actor) || actor.isDead()) return;
  await endAsked(member, clock);
}

async function endAsked({ actor, controls }: Pick<Member, 'actor' | 'controls'>, clock: Clock): Promise<void> {
  actor.update({ stopAskedAt: clock.now() });
  try {
    await controls.end();
  } catch (cause) {
    if (!actor.isDead()) actor.update({ stopAskedAt: null });
    throw cause;
  }
}

/**
 * Marks a parked session as stopped; a parked session has no process to end. @returns false if the session is not
 * parked but running
 */
function stopParked(actor: Member['actor']): boolean {
  if (!actor.isParked() || !actor.isDead()) return false;
  actor.commit({ parkedAt: null });
  actor.intake.seeProcessAgain();
  return true;
}

/** Gives up a lost session, which has no process to end. @returns false if the session has already been restored */
function giveUp(actor: Member['actor']): boolean {
  if (actor.record.loss === null) return false;
  actor.commit({ loss: null });
  return true;
}
