import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { NewTrigger, Schedule, ScheduleTrigger } from '../../protocol/index.ts';
import { TRIGGER_SECRET_TEXT } from '../../text/schedule-words.ts';
import { client } from '../connection/fleet.ts';
import { Dialog } from '../parts/dialog.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/**
 * Shows the address to which another program posts in order to run a schedule. The user can create, renew, and remove
 * the trigger's secret here.
 */
export function TriggerDialog({ schedule, onClose }: { schedule: Schedule; onClose: () => void }) {
  const { name } = schedule;
  const close = useRef<HTMLButtonElement>(null);
  const isBusy = useSignal(false);
  // An older server does not support triggers.
  const trigger = useSignal<ScheduleTrigger | null>(schedule.trigger ?? null);
  const made = useSignal<NewTrigger | null>(null);
  const params = { name };
  const act = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(work);
    isBusy.value = false;
  };
  const create = (): Promise<void> =>
    act(async () => {
      made.value = await client.call('createTrigger', { params });
      trigger.value = made.value;
    });
  const remove = (): Promise<void> =>
    act(async () => {
      await client.call('removeTrigger', { params });
      trigger.value = null;
      made.value = null;
      tell(`Webhooks can no longer run ${name}`);
    });
  const title = `Webhook of ${name}`;
  return (
    <Dialog label={title} onClose={onClose} focus={close}>
      <div class="dialog-body stack">
        <h2>{title}</h2>
        <p class="faint">
          Another program can run this schedule with a signed request. The content of the request is never sent to a
          session.
        </p>
        {trigger.value === null && <p>No webhook can run this schedule.</p>}
        {trigger.value !== null && <Field label="Address" value={trigger.value.url} />}
        {made.value !== null && (
          <>
            <Field label="Secret" value={made.value.secret} />
            <p>{TRIGGER_SECRET_TEXT}.</p>
          </>
        )}
        <div class="row wrap end">
          <button ref={close} type="button" class="button" onClick={onClose}>
            Close
          </button>
          {trigger.value !== null && (
            <button type="button" class="button bad" disabled={isBusy.value} onClick={() => void remove()}>
              Remove
            </button>
          )}
          <button type="button" class="button primary" disabled={isBusy.value} onClick={() => void create()}>
            {trigger.value === null ? 'Create' : 'Replace the secret'}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

/** A value for the user to copy. A click selects all of it. */
function Field({ label, value }: { label: string; value: string }) {
  return (
    <label class="stack">
      {label}
      <input class="input mono" readOnly value={value} onFocus={({ currentTarget }) => currentTarget.select()} />
    </label>
  );
}
