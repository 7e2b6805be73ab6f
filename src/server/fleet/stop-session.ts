import type { Clock } from '../clock.ts';
import type { Member } from './roster.ts';

/**
 * Ends a session because somebody asked for it. That is written down before the first signal, so that the next server
 * does not take it for lost where this one dies in between.
 * @throws CatalogueError session_dead, not_adopted, kill_failed
 */
export async function stopSession(
  { actor, controls }: Pick<Member, 'actor' | 'controls'>,
  clock: Clock,
): Promise<void> {
  // In its turn: the session may be on its way back.
  if (actor.isParked() && (await actor.mailbox.post(async () => stopParked(actor)))) return;
  if (actor.record.loss !== null && (await actor.mailbox.post(async () => giveUp(actor)))) return;
  if (actor.isDead()) return controls.end();
  await endAsked({ actor, controls }, clock);
}

/**
 * The same for work that has the turn of the session already; a session that is stopped stays so.
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

/** A parked session has nothing to end: it only counts as stopped from now on. @returns false if it runs */
function stopParked(actor: Member['actor']): boolean {
  if (!actor.isParked() || !actor.isDead()) return false;
  actor.commit({ parkedAt: null });
  actor.intake.seeProcessAgain();
  return true;
}

/** A lost session has nothing to end either: nobody wants it back. @returns false if it has come back meanwhile */
function giveUp(actor: Member['actor']): boolean {
  if (actor.record.loss === null) return false;
  actor.commit({ loss: null });
  return true;
}
