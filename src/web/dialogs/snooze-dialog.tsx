import { useSignal } from '@preact/signals';
import type { NewSnooze } from '../../protocol/index.ts';
import { snoozeChoices, snoozeText, WAKE_TIME_FORMS, wakeTime } from '../../text/snooze-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/** Asks the user how long to snooze a session. It offers some choices and a field for a time. */
export function SnoozeDialog({ slug }: { slug: string }) {
  const typed = useSignal('');
  const snoozed = sessions.value.get(slug)?.snoozed ?? null;
  const snooze = async (body: NewSnooze): Promise<void> => {
    const isDone = await attempt(async () => {
      const session = await client.call('snoozeSession', { params: { slug }, body });
      if (session.snoozed !== null) tell(`${slug} is ${snoozeText(session.snoozed)}`);
    });
    if (isDone) closeOverlay();
  };
  const wake = async (): Promise<void> => {
    if (await attempt(() => client.call('unsnoozeSession', { params: { slug } }))) closeOverlay();
  };
  const at = wakeTime(typed.value, Date.now());
  return (
    <Dialog label={`Snooze ${slug}`} onClose={closeOverlay}>
      <form
        class="dialog-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (at !== null) void snooze({ until: new Date(at).toISOString() });
        }}
      >
        <h2>Snooze {slug} until…</h2>
        <p class="faint">
          {snoozed === null
            ? "Until then, the session isn't counted and sends no notifications."
            : `The session is ${snoozeText(snoozed)}.`}
        </p>
        <div class="row wrap">
          {snoozeChoices(Date.now()).map(({ key, does, rule }) => (
            <button key={key} type="button" class="button" onClick={() => void snooze(rule)}>
              {does}
            </button>
          ))}
        </div>
        <div class="row">
          <input class="input grow" aria-label="Time" placeholder={WAKE_TIME_FORMS} {...bind(typed)} />
          <button type="submit" class="button primary" disabled={at === null}>
            Snooze
          </button>
        </div>
        <div class="row end">
          {snoozed !== null && (
            <button type="button" class="button" onClick={() => void wake()}>
              Wake it
            </button>
          )}
          <CloseButton>Cancel</CloseButton>
        </div>
      </form>
    </Dialog>
  );
}
