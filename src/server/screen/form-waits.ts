import type { HookForm } from '../../core/status/index.ts';
import type { SessionActor } from '../session/actor.ts';
import type { ActorDeps } from '../session/actor-deps.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How often to look whether the hook of a form still waits, and whether somebody is at the terminal. Claude Code ends
 * the hook when the server has cancelled its request (2.1.330), and reports only the name of the server.
 */
const LOOK_MS = 1_000;

/** What the keeper needs of a session. */
export interface KeptForms extends Pick<SessionActor, 'slug' | 'onHook'> {
  deps: Pick<ActorDeps, 'clock' | 'waits' | 'log'>;
  status: Pick<SessionActor['status'], 'evidence'>;
  intake: Pick<SessionActor['intake'], 'forgetWait'>;
  view(): Pick<ReturnType<SessionActor['view']>, 'attached'>;
}

/** Returns the forms whose hooks wait for a reply. */
export const waitingForms = ({ status }: Pick<KeptForms, 'status'>): (HookForm & { wait: string })[] =>
  (status.evidence().hooks.forms ?? []).flatMap(({ wait, ...form }) => (wait === undefined ? [] : [{ ...form, wait }]));

/**
 * Follows the hooks of forms. If a person attaches to the session, the hook is ended, and Claude Code shows the dialog
 * to that person. From then on the form can be filled in only there.
 */
export function createFormKeeper(actor: KeptForms): Dispose {
  const { clock, waits, log } = actor.deps;
  let cancel: Dispose | null = null;
  let looking: Promise<void> = Promise.resolve();
  const fault = (err: unknown): void => log.warn({ slug: actor.slug, err }, 'the hook of a form could not be followed');

  /** Looks for hooks that are gone first, because the notification about one may be attributed to another form. */
  async function look(): Promise<void> {
    for (const { wait } of waitingForms(actor)) {
      if ((await waits.asked(wait)) === null) actor.intake.forgetWait(wait);
    }
    if (actor.view().attached !== true) return;
    for (const { wait } of waitingForms(actor)) {
      actor.intake.forgetWait(wait, (await waits.leave(wait)) ? 'terminal' : 'gone');
    }
  }

  /** Two looks at a time would take a hook that the other one has just ended for gone. */
  const lookNext = (): Promise<void> => {
    looking = looking.then(look).catch(fault);
    return looking;
  };

  function follow(): void {
    if (cancel !== null || waitingForms(actor).length === 0) return;
    const again = (): void => {
      cancel = null;
      follow();
    };
    cancel = clock.after(LOOK_MS, () => void lookNext().finally(again));
  }

  const stopHooks = actor.onHook(() => {
    if (waitingForms(actor).length === 0) return;
    void lookNext();
    follow();
  });
  follow();
  return () => {
    stopHooks();
    cancel?.();
  };
}
