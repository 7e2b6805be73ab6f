import { whyNotParked } from '../../core/parking/refusal.ts';
import { configDirectory, continueConversation, LAUNCH_VARIABLE, runsTools } from '../../platform/claude/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { parkingRefusalWords } from '../../text/parking-words.ts';
import type { SessionActor } from '../session/actor.ts';
import { seeDelivery } from '../session/see-delivery.ts';

export interface ParkingOptions {
  actor: SessionActor;
  /** the server's own environment */
  environment: Readonly<Record<string, string | undefined>>;
  /** ends all processes of the session, and proves it */
  end(): Promise<void>;
  /** starts the session on its conversation */
  launch(): Promise<void>;
  /** runs only a few launches at a time */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Parks one session: ends its processes to give the memory back, and brings it back on its conversation.
 *
 * The record says `parkedAt` before the first signal, and a launch clears it in the same write that names the new
 * processes. So a server that dies in between leaves either a running or a parked session.
 */
export interface Parking {
  /** @throws CatalogueError not_parkable, session_dead, not_adopted, kill_failed */
  park(): Promise<void>;
  /**
   * Brings the session back. All callers at the same time share one launch.
   * @throws CatalogueError session_dead, session_in_use, no_such_conversation, and what a launch throws; the session
   * stays parked
   */
  wake(): Promise<void>;
  /** Finishes what a killed server had begun: the session is parked if that still loses nothing, and runs otherwise. */
  settle(): Promise<void>;
}

export function createParking({ actor, environment, end, launch, inTurn }: ParkingOptions): Parking {
  const { clock, log } = actor.deps;
  let waking: Promise<void> | null = null;

  async function canResume(): Promise<boolean> {
    const { claudeSessionId: sessionId, path: cwd, launch: asked } = actor.record;
    if (sessionId === null || cwd === null) return false;
    const configDir = configDirectory({ ...environment, ...asked.env });
    return (await continueConversation({ configDir, cwd, sessionId }, '')).kind === 'resume';
  }

  /** @throws CatalogueError not_parkable */
  async function requireParkable(): Promise<void> {
    const { agent, launchId } = actor.record;
    const mark = { name: LAUNCH_VARIABLE, value: launchId ?? '' };
    const hasTools = agent !== null && launchId !== null && (await runsTools(agent.pid, mark));
    const hasConversation = await canResume();
    actor.recording?.look();
    // Read last: nothing is awaited between this and what follows.
    const { registry } = actor.status.evidence();
    const { attached } = actor.view();
    const prompt = { ...seeDelivery(actor), isParked: false };
    const why = whyNotParked({ prompt, attached, hasTools, hasConversation, registry: registry?.status ?? null });
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
    // A text that came meanwhile is held.
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
    if (!(await canResume())) {
      throw new CatalogueError('no_such_conversation', `Claude Code's file of ${actor.slug}'s conversation is gone`, {
        hint: `\`cbos restart ${actor.slug}\` starts it on a new conversation`,
      });
    }
    await launch();
    // Somebody deleted it meanwhile.
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
        log.info({ slug: actor.slug, err: cause }, 'the last server was parking it; it runs on');
        if (!actor.isDead()) unpark();
      }
    },
  };
}
