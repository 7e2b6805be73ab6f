import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { BroadcastResult } from '../../protocol/index.ts';
import { type Outcome, Outcomes } from '../actions/outcomes.tsx';
import { client, link, sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind, Check, submitWith } from '../parts/field.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { DELIVERY_WORDS } from '../session/deliveries.tsx';

/** Sends the same prompt to the named sessions, and shows the outcome for each. */
export function SendDialog({ slugs }: { slugs: readonly string[] }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useSignal('');
  const isQueued = useSignal(false);
  const isBusy = useSignal(false);
  const outcomes = useSignal<readonly Outcome[] | null>(null);
  const listed = slugs.filter((slug) => sessions.value.has(slug));
  const title = `Send to ${listed.length === 1 ? listed[0] : `${listed.length} sessions`}`;
  const isReady = text.value.trim() !== '' && listed.length > 0 && link.value === 'live';

  const send = async (): Promise<void> => {
    if (isBusy.value || !isReady) return;
    isBusy.value = true;
    const how = isQueued.value ? { queue: true } : {};
    await attempt(async () => {
      const results = await client.call('broadcast', { body: { text: text.value, slugs: [...listed], ...how } });
      const all = results.map(outcomeOf);
      if (!all.every(({ isGood }) => isGood) || all.length > 1) {
        outcomes.value = all;
        return;
      }
      closeOverlay();
      tell(`${listed[0]}: ${all[0]?.text}`);
    });
    isBusy.value = false;
  };

  return (
    <Dialog label={title} onClose={closeOverlay} focus={field}>
      <form class="dialog-body stack" onSubmit={submitWith(() => (outcomes.value === null ? send() : closeOverlay()))}>
        <h2>{title}</h2>
        {outcomes.value === null ? (
          <>
            {listed.length > 1 && <p class="faint">{listed.join(', ')}</p>}
            <textarea
              ref={field}
              class="input"
              rows={4}
              aria-label="Text"
              {...bind(text)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.repeat) return;
                event.preventDefault();
                void send();
              }}
            />
            <Check checked={isQueued} class="row check">
              Hold it until the session is ready
            </Check>
          </>
        ) : (
          <Outcomes outcomes={outcomes.value} />
        )}
        <div class="row end">
          {outcomes.value === null && <CloseButton>Cancel</CloseButton>}
          <button type="submit" class="button primary" disabled={outcomes.value === null && (!isReady || isBusy.value)}>
            {outcomes.value === null ? 'Send' : 'Close'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function outcomeOf({ session: slug, delivery, error }: BroadcastResult): Outcome {
  if (delivery === undefined)
    return { slug, isGood: false, text: error === undefined ? 'Not sent' : `${error.message}.` };
  return { slug, isGood: delivery.status !== 'failed', text: DELIVERY_WORDS[delivery.status] };
}
