import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { DEEDS, type Deed, type DeedName } from '../actions/deeds.ts';
import { doWithEach, type Outcome, Outcomes } from '../actions/outcomes.tsx';
import { link, sessions } from '../connection/fleet.ts';
import { openSlug } from '../list/arranged.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { goTo } from '../navigation/router.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { tell } from '../parts/toasts.tsx';
import { useSettled } from '../session/settled.ts';

/** Asks for confirmation before an action on the named sessions, then shows the outcome for each session. */
export function DeedDialog({ name, slugs }: { name: DeedName; slugs: readonly string[] }) {
  const deed: Deed = DEEDS[name];
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isBusy = useSignal(false);
  const outcomes = useSignal<readonly Outcome[] | null>(null);
  // The Enter key that opened the dialog may still be held down, or the click that opened it may be the first of a
  // double click.
  const isSettled = useSettled(form, true);
  const fitting = slugs.filter((slug) => {
    const session = sessions.value.get(slug);
    return session !== undefined && deed.isFor(session);
  });
  const others = slugs.filter((slug) => !fitting.includes(slug));
  const verb = [deed.verb, deed.of].filter(Boolean).join(' ');
  const title = `${verb} ${fitting.length === 1 ? fitting[0] : `${fitting.length} sessions`}?`;

  const run = async (): Promise<void> => {
    if (isBusy.value || !isSettled || link.value !== 'live') return;
    isBusy.value = true;
    const open = openSlug.peek();
    const done = await doWithEach(fitting, async (slug) => {
      await deed.run(slug);
      return deed.done;
    });
    if (name === 'delete' && done.some(({ slug, isGood }) => isGood && slug === open)) goTo({ page: 'home' });
    const [first] = done;
    if (done.length === 1 && first?.isGood === true) {
      closeOverlay();
      tell(`${first.slug} ${first.text}`);
    } else outcomes.value = done;
  };

  return (
    <Dialog label={title} onClose={closeOverlay} focus={button}>
      <form
        ref={form}
        class="dialog-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (outcomes.value === null) void run();
          else closeOverlay();
        }}
      >
        {outcomes.value === null ? (
          <>
            <h2>{title}</h2>
            {deed.about !== null && <p class="faint">{deed.about}</p>}
            {slugs.length > 1 && <p>{fitting.join(', ')}</p>}
            {others.length > 0 && (
              <p class="faint">
                The action does not apply to these sessions now, so they are left out: {others.join(', ')}
              </p>
            )}
          </>
        ) : (
          <>
            <h2>{summaryOf(deed, outcomes.value)}</h2>
            <Outcomes outcomes={outcomes.value} />
          </>
        )}
        <div class="row end">
          {outcomes.value === null && <CloseButton>Cancel</CloseButton>}
          <button
            ref={button}
            type="submit"
            class={`button ${outcomes.value === null && name !== 'restart' && name !== 'archive' ? 'bad' : 'primary'}`}
            disabled={outcomes.value === null && (fitting.length === 0 || isBusy.value)}
            aria-disabled={!isSettled}
          >
            {outcomes.value === null ? deed.verb : 'Close'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function summaryOf({ done }: Deed, outcomes: readonly Outcome[]): string {
  const good = outcomes.filter(({ isGood }) => isGood).length;
  return `${good} of ${outcomes.length} ${done}`;
}
