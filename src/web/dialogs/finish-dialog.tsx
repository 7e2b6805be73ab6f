import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { CatalogueError, type FinishHow, type FinishPreview, type Session } from '../../protocol/index.ts';
import {
  conflictFiles,
  conflictPrompt,
  FINISH_CHOICES,
  finishedLines,
  finishNotes,
  finishQuestion,
  mergesBy,
} from '../../text/worktree-words.ts';
import { client, link, sessions } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ChoiceText, Radio, submitWith } from '../parts/field.tsx';
import { Problem } from '../parts/problem.tsx';
import { attempt, tell } from '../parts/toasts.tsx';
import { useSettled } from '../session/settled.ts';

/** Asks the user how to finish a session's worktree, and says what will happen before doing anything. */
export function FinishDialog({ slug }: { slug: string }) {
  const session = sessions.value.get(slug);
  const how = useSignal<FinishHow>('merge');
  const into = useSignal('');
  const preview = useSignal<FinishPreview | null>(null);
  const problem = useSignal<CatalogueError | null>(null);
  const isBusy = useSignal(false);
  const form = useRef<HTMLFormElement>(null);
  const isSettled = useSettled(form, true);
  const base = into.value.trim();
  const isMerge = mergesBy(how.value);

  useRead(
    () => client.call('previewFinish', { params: { slug }, query: base === '' ? {} : { into: base } }),
    {
      onRead: (answer) => {
        preview.value = answer;
      },
      onError: (error) => {
        if (error instanceof CatalogueError) problem.value = error;
      },
    },
    [slug, base],
  );

  if (session === undefined) return null;
  const finish = async (): Promise<void> => {
    if (isBusy.value || !isSettled || link.value !== 'live') return;
    isBusy.value = true;
    problem.value = null;
    const body = { how: how.value, stop: true, ...(isMerge && base !== '' ? { into: base } : {}) };
    try {
      const finished = await client.call('finishSession', { params: { slug }, body });
      closeOverlay();
      for (const line of finishedLines(finished)) tell(line);
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      problem.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const conflicts =
    (problem.value === null ? null : conflictFiles(problem.value)) ?? (isMerge ? (preview.value?.conflicts ?? []) : []);

  return (
    <Dialog label={`Finish ${slug}`} onClose={closeOverlay} isWide>
      <form ref={form} class="dialog-body stack" onSubmit={submitWith(finish)}>
        <h2>Finish {slug}</h2>
        <HowChoice how={how} problem={problem} />
        {isMerge && (
          <input
            class="input mono"
            aria-label="Into the branch"
            placeholder={session.worktree?.base ?? 'the branch to merge into'}
            spellcheck={false}
            value={into.value}
            onChange={({ currentTarget }) => {
              into.value = currentTarget.value;
            }}
          />
        )}
        <div class="finish-notes" role="status">
          {preview.value === null
            ? problem.value === null && <p class="faint">Looking…</p>
            : finishNotes(preview.value, how.value).map((line) => <p key={line}>{line}</p>)}
        </div>
        <Problem error={problem.value} />
        {conflicts.length > 0 && (
          <HandOver
            session={session}
            prompt={conflictPrompt(preview.value?.into ?? session.worktree?.base ?? null, conflicts)}
          />
        )}
        <p>
          {finishQuestion(session, how.value, {
            into: isMerge && base !== '' ? base : undefined,
            on: preview.value?.on,
          })}
        </p>
        <div class="row end">
          <CloseButton>Cancel</CloseButton>
          <button type="submit" class="button bad" disabled={isBusy.value} aria-disabled={!isSettled}>
            {isBusy.value ? 'Finishing…' : FINISH_CHOICES.find((choice) => choice.how === how.value)?.verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The choice of how to finish. A problem concerns only the way that was chosen before. */
function HowChoice({ how, problem }: { how: Signal<FinishHow>; problem: Signal<CatalogueError | null> }) {
  return (
    <fieldset
      class="stack"
      onChange={() => {
        problem.value = null;
      }}
    >
      <legend class="hidden-text">How</legend>
      {FINISH_CHOICES.map((choice) => (
        <Radio key={choice.how} name="how" choice={choice.how} chosen={how}>
          <ChoiceText title={choice.verb} about={choice.about} />
        </Radio>
      ))}
    </fieldset>
  );
}

/** Offers to send the session a prompt that asks it to resolve the conflict. */
function HandOver({ session: { slug }, prompt }: { session: Session; prompt: string }) {
  const send = async (): Promise<void> => {
    const isSent = await attempt(() => client.call('send', { params: { slug }, body: { text: prompt, queue: true } }));
    if (!isSent) return;
    closeOverlay();
    tell(`${slug} is resolving the conflict; finish it when the conflict is resolved`);
  };
  return (
    <div class="notice stack">
      <p class="mono">{prompt}</p>
      <div class="row end">
        <button type="button" class="button" onClick={() => void send()}>
          Let the session resolve it
        </button>
      </div>
    </div>
  );
}
