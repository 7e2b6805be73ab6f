import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { CatalogueError, type PullRequestPlan } from '../../protocol/index.ts';
import {
  openedText,
  pullRequestLines,
  pullRequestQuestion,
  pushNotes,
  requestNoun,
} from '../../text/pull-request-words.ts';
import { client, link } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind, Check, submitWith } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { tell } from '../parts/toasts.tsx';
import { useSettled } from '../session/settled.ts';

/** Shows what would be pushed, and lets the user edit the title and description. It sends exactly what it shows. */
export function PullRequestDialog({ slug }: { slug: string }) {
  const plan = useSignal<PullRequestPlan | null>(null);
  const title = useSignal('');
  const body = useSignal('');
  const isDraft = useSignal(false);
  const problem = useSignal<CatalogueError | null>(null);
  const isBusy = useSignal(false);
  const looks = useSignal(0);
  const form = useRef<HTMLFormElement>(null);
  const isSettled = useSettled(form, true);

  useRead(
    () => client.call('planPullRequest', { params: { slug }, query: {} }),
    {
      onRead: (answer) => {
        plan.value = answer;
        // If the branch has changed in the meantime, keep the text that the user has edited.
        if (title.peek() === '') title.value = answer.title;
        if (body.peek() === '') body.value = answer.body;
      },
      onError: (error) => {
        if (error instanceof CatalogueError) problem.value = error;
      },
    },
    [slug, looks.value],
  );

  const open = async (): Promise<void> => {
    const { value: shown } = plan;
    if (shown === null || isBusy.value || !isSettled || link.value !== 'live') return;
    isBusy.value = true;
    problem.value = null;
    const { repository, commit, existing } = shown;
    const words = { title: title.value, body: body.value, draft: isDraft.value };
    const number = existing === null ? {} : { number: existing.number };
    try {
      const request = { repository, commit, ...words, ...number };
      const session = await client.call('openPullRequest', { params: { slug }, body: request });
      closeOverlay();
      tell(openedText(session));
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      problem.value = error;
      // The next attempt will send the text that is shown at that time.
      looks.value++;
    } finally {
      isBusy.value = false;
    }
  };

  const noun = requestNoun(plan.value?.forge ?? 'github');
  const heading = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} for ${slug}`;
  return (
    <Dialog label={heading} onClose={closeOverlay} isWide>
      <form ref={form} class="dialog-body stack" onSubmit={submitWith(open)}>
        <h2>{heading}</h2>
        <Problem error={problem.value} />
        {plan.value === null ? (
          problem.value === null && <p class="faint">Reading the branch and querying the forge…</p>
        ) : plan.value.existing !== null ? (
          <p class="mono">{pullRequestLines(plan.value).join('\n')}</p>
        ) : (
          <>
            <input class="input" aria-label="Title" required {...bind(title)} />
            <textarea class="input" rows={8} aria-label="Text" {...bind(body)} />
            <Check checked={isDraft} class="form-option">
              As a draft
            </Check>
          </>
        )}
        {plan.value !== null && <p>{pullRequestQuestion(plan.value)} The worktree stays.</p>}
        {plan.value !== null && pushNotes(plan.value, 'will not run').map((note) => <p key={note}>{note}</p>)}
        <div class="row end">
          <CloseButton>Cancel</CloseButton>
          <button
            type="submit"
            class="button primary"
            disabled={isBusy.value || plan.value === null}
            aria-disabled={!isSettled}
          >
            {isBusy.value ? 'Pushing…' : plan.value?.existing == null ? 'Open it' : 'Push'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
