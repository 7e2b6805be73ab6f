import { whyNotParked } from '../../core/parking/refusal.ts';
import { LAUNCH_VARIABLE, runsTools } from '../../platform/claude/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { parkingRefusalWords } from '../../text/parking-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import { hasConversation, requireOwnConversation, showingMissing } from '../session/session-conversation.ts';

export interface ParkingOptions {
  actor: SessionActor;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** ends all processes of the session, and verifies that they are gone */
  end(): Promise<void>;
  /** starts the session again, continuing its conversation */
  launch(): Promise<unknown>;
  /** runs `work` when its turn comes, because only a few launches may run at a time */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Parks and wakes a session. Parking ends the session's processes to free their memory, and waking continues its
 * conversation.
 *
 * `parkedAt` is saved before the first signal is sent, and a launch clears it in the same write that records the new
 * processes. Therefore the session is always either running or parked, no matter when the server dies.
 */
export interface Parking {
  /** @throws CatalogueError not_parkable, session_dead, not_adopted, kill_failed */
  park(): Promise<void>;
  /**
   * Wakes the session. Callers that do so at the same time share one launch.
   * @throws CatalogueError session_dead, session_in_use, no_such_conversation, and everything that a launch throws; the
   * session stays parked
   */
  wake(): Promise<void>;
  /**
   * Completes a parking that a killed server had begun. The session is parked if nothing would be lost even now;
   * otherwise it keeps running.
   */
  settle(): Promise<void>;
}

export function createParking({ actor, environment, end, launch, inTurn }: ParkingOptions): Parking {
  const { clock, log } = actor.deps;
  let waking: Promise<void> | null = null;

  /** @throws CatalogueError not_parkable */
  async function requireParkable(): Promise<void> {
    const { agent, launchId } = actor.record;
    const mark = { name: LAUNCH_VARIABLE, value: launchId ?? '' };
    const hasTools = agent !== null && launchId !== null && (await runsTools(agent.pid, mark));
    const canResume = await hasConversation(actor.record, environment);
    actor.recording?.look();
    // This is read last, and nothing may be awaited between this and the next steps, because the facts could change.
    const { registry } = actor.status.evidence();
    const { attached } = actor.view();
    const prompt = { ...seeDelivery(actor), isParked: false };
    const why = whyNotParked({
      prompt,
      attached,
      hasTools,
      hasConversation: canResume,
      registry: registry?.status ?? null,
    });
    if (why === null) return;
    const { message, hint } = parkingRefusalWords(why, actor.slug);
    throw new CatalogueError('not_parkable', message, { hint, extra: { reason: why } });
  }

  async function parkNow(): Promise<void> {
    if (actor.isDead()) {
      if (actor.isParked()) return;
      throw new CatalogueError('session_dead', `${actor.slug} is stopped`);
    }
    await requireParkable();
    const size = actor.recording?.size() ?? actor.record.launch;
    actor.isChangingHands = true;
    try {
      const { cols, rows } = size;
      actor.commit({ parkedAt: actor.record.parkedAt ?? clock.now(), launch: { ...actor.record.launch, cols, rows } });
      actor.intake.seeProcessAgain();
      await end();
      actor.update({ endedAt: clock.now() });
      actor.intake.seeProcessAgain();
    } catch (cause) {
      unpark();
      throw cause;
    } finally {
      actor.isChangingHands = false;
    }
    // A prompt that arrived while the session was being parked is held, and may wake the session now.
    actor.lookAgain();
  }

  function unpark(): void {
    actor.update({ parkedAt: null });
    actor.intake.seeProcessAgain();
    actor.lookAgain();
  }

  async function wakeNow(): Promise<void> {
    if (!actor.isParked()) {
      if (actor.isDead()) throw new CatalogueError('session_dead', `${actor.slug} is stopped`);
      return;
    }
    if (!actor.isDead()) return unpark();
    await showingMissing(actor, () => requireOwnConversation(actor.record, environment));
    await launch();
    // Somebody has deleted the session in the meantime, so it must not keep running.
    if (actor.record.removedAt !== null) await end();
  }

  return {
    park: () => actor.mailbox.post(parkNow),
    wake: () => {
      waking ??= actor.mailbox
        .post(() => inTurn(wakeNow))
        .finally(() => {
          waking = null;
        });
      return waking;
    },
    settle: async () => {
      if (!actor.isParked() || actor.isDead()) return;
      try {
        await actor.mailbox.post(parkNow);
      } catch (cause) {
        log.info(
          { slug: actor.slug, err: cause },
          'the previous server was parking the session; the session continues to run',
        );
        if (!actor.isDead()) unpark();
      }
    },
  };
}
