import { openWaits } from '../../core/status/index.ts';
import { isAsking } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long a dialog must be missing from the screen before its hook is ended. A dialog that is only being redrawn
 * reappears within this time.
 */
const LEAVE_MS = 5_000;

/**
 * Ends hooks that are still waiting although their dialog has been closed. Claude Code ends a hook when the turn is
 * interrupted, but not when the dialog is answered at the terminal. A hook that keeps waiting occupies a process, but
 * uses no processor time.
 */
export function createWaitKeeper(actor: SessionActor): Dispose {
  const { clock, waits, log } = actor.deps;
  const known = new Set<string>();
  let cancel: Dispose | null = null;

  const open = (): string[] => openWaits(actor.status.evidence().hooks);

  /** Reports whether a dialog may be open, which is also possible if the screen cannot be seen. */
  const mayAsk = (): boolean => {
    const reading = actor.status.evidence().screen?.reading;
    return (
      isAsking(actor.status.memory()) || reading === undefined || reading.dialog !== null || reading.cover !== null
    );
  };

  function look(): void {
    const now = new Set(open());
    for (const id of known) if (!now.has(id)) leave(id);
    for (const id of now) known.add(id);
    if (now.size === 0 || mayAsk()) {
      cancel?.();
      cancel = null;
    } else cancel ??= clock.after(LEAVE_MS, forgetAll);
  }

  function forgetAll(): void {
    cancel = null;
    for (const id of mayAsk() ? [] : open()) actor.intake.forgetWait(id);
    look();
  }

  function leave(id: string): void {
    known.delete(id);
    waits
      .leave(id)
      .catch((cause: unknown) => log.warn({ slug: actor.slug, err: cause }, 'a hook could not be told to end'));
  }

  /** Forgets waits that the previous server knew about and that have since ended. */
  async function forgetEnded(): Promise<void> {
    for (const id of open()) if ((await waits.asked(id)) === null) actor.intake.forgetWait(id);
    look();
  }

  const stopHooks = actor.onHook(({ wait }) => {
    // A late report about a call that has ended is ignored, and nobody else would end its hook.
    if (wait != null && !open().includes(wait)) leave(wait);
    look();
  });
  const stopChanges = actor.onChange(look);
  forgetEnded().catch((cause: unknown) =>
    log.warn({ slug: actor.slug, err: cause }, 'the list of waiting hooks could not be read'),
  );
  return () => {
    stopHooks();
    stopChanges();
    cancel?.();
  };
}
