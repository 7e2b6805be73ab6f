import type { HookForm } from '../../core/status/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How often to look whether the hook of a form still waits, and whether somebody is at the terminal. Claude Code ends
 * the hook when the server has cancelled its request (2.1.330), and nothing reports that.
 */
const LOOK_MS = 1_000;

/** Returns the forms whose hooks wait for a reply. */
export const waitingForms = ({ status }: Pick<SessionActor, 'status'>): (HookForm & { wait: string })[] =>
  (status.evidence().hooks.forms ?? []).flatMap(({ wait, ...form }) => (wait === undefined ? [] : [{ ...form, wait }]));

/**
 * Follows the hooks of forms. If a person attaches to the session, the hook is ended, and Claude Code shows the dialog
 * to that person. From then on the form can be filled in only there.
 */
export function createFormKeeper(actor: SessionActor): Dispose {
  const { clock, waits, log } = actor.deps;
  let cancel: Dispose | null = null;
  const fault = (err: unknown): void => log.warn({ slug: actor.slug, err }, 'the hook of a form could not be followed');

  async function look(): Promise<void> {
    for (const { wait } of waitingForms(actor)) {
      if (actor.view().attached === true) {
        await waits.leave(wait);
        actor.intake.forgetWait(wait, 'terminal');
      } else if ((await waits.asked(wait)) === null) {
        actor.intake.forgetWait(wait);
      }
    }
  }

  function follow(): void {
    if (cancel !== null || waitingForms(actor).length === 0) return;
    const again = (): void => {
      cancel = null;
      follow();
    };
    cancel = clock.after(LOOK_MS, () => void look().catch(fault).finally(again));
  }

  const stopHooks = actor.onHook(() => {
    if (waitingForms(actor).length === 0) return;
    look().catch(fault);
    follow();
  });
  follow();
  return () => {
    stopHooks();
    cancel?.();
  };
}
