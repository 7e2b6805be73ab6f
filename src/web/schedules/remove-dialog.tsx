import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { client } from '../connection/fleet.ts';
import { Dialog } from '../parts/dialog.tsx';
import { attempt, tell } from '../parts/toasts.tsx';

/** Asks for confirmation before deleting a schedule and the record of its runs. */
export function RemoveDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const cancel = useRef<HTMLButtonElement>(null);
  const isBusy = useSignal(false);
  const remove = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    if (await attempt(() => client.call('removeSchedule', { params: { name } }))) {
      tell(`Deleted ${name}`);
      onClose();
    } else isBusy.value = false;
  };
  const title = `Delete the schedule ${name}?`;
  return (
    <Dialog label={title} onClose={onClose} focus={cancel}>
      <div class="dialog-body stack">
        <h2>{title}</h2>
        <p class="faint">The record of its runs will be deleted too. A prompt that is already queued stays queued.</p>
        <div class="row end">
          <button ref={cancel} type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class="button bad" disabled={isBusy.value} onClick={() => void remove()}>
            Delete
          </button>
        </div>
      </div>
    </Dialog>
  );
}
