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
  /** ends all of the session's processes, and verifies that */
  end(): Promise<void>;
  /** starts the session, continuing its conversation */
  launch(): Promise<void>;
  /** runs only a few launches at a time */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Parks and wakes one session. Parking ends its processes to free their memory, and waking continues its conversation.
 *
 * `parkedAt` is in the record before the first signal is sent, and a launch clears it in the same write that records
 * the new processes. Whenever the server dies, it therefore leaves either a running or a parked session.
 */
export interface Parking {
  /** @throws CatalogueError not_parkable, session_dead, not_adopted, kill_failed */
  park(): Promise<void>;
  /**
   * Wakes the session. Simultaneous callers share one launch.
   * @throws CatalogueError session_dead, session_in_use, no_such_conversation, and everything that a launch throws; the
   * session stays parked
   */
  wake(): Promise<void>;
  /**
   * Completes the work of a killed server. The session is parked if nothing would be lost by that even now, and
   * otherwise keeps running.
   */
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
    // This is read last. Nothing may be awaited between this and the next steps.
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
    // A prompt that arrived during the parking is held.
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
      throw new CatalogueError(
        'no_such_conversation',
        `Claude Code's file with the conversation of ${actor.slug} is gone`,
        {
          hint: `\`cbos restart ${actor.slug}\` starts it with a new conversation`,
        },
      );
    }
    await launch();
    // Somebody has deleted the session by now.
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
        log.info({ slug: actor.slug, err: cause }, 'the last server was parking it; it continues to run');
        if (!actor.isDead()) unpark();
      }
    },
  };
}
