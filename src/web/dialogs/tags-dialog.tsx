import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { readTagWords, tagsText } from '../../text/tag-words.ts';
import { doWithEach, type Outcome, Outcomes } from '../actions/outcomes.tsx';
import { client, link, sessions } from '../connection/fleet.ts';
import { closeOverlay } from '../navigation/overlay.ts';
import { CloseButton } from '../parts/close-button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { bind, submitWith } from '../parts/field.tsx';
import { tell } from '../parts/toasts.tsx';

/** Lets the user add tags to the named sessions or remove tags from them, and shows the outcome for each session. */
export function TagsDialog({ slugs }: { slugs: readonly string[] }) {
  const field = useRef<HTMLInputElement>(null);
  const typed = useSignal('');
  const isBusy = useSignal(false);
  const outcomes = useSignal<readonly Outcome[] | null>(null);
  const listed = slugs.flatMap((slug) => sessions.value.get(slug) ?? []);
  const theirs = [...new Set(listed.flatMap(({ tags }) => tags ?? []))];
  const others = [...new Set([...sessions.value.values()].flatMap(({ tags }) => tags ?? []))]
    .filter((tag) => !theirs.includes(tag))
    .sort();
  const { edit, problem } = readTagWords(typed.value);
  const words = typed.value.split(/[\s,]+/).filter((word) => word !== '');
  const isReady = edit !== null && words.length > 0 && listed.length > 0 && link.value === 'live';
  const title = `Tags for ${listed.length === 1 ? listed[0]?.slug : `${listed.length} sessions`}`;

  const save = async (): Promise<void> => {
    if (isBusy.value || !isReady) return;
    isBusy.value = true;
    const done = await doWithEach(
      listed.map(({ slug }) => slug),
      async (slug) => tagsText(await client.call('tagSession', { params: { slug }, body: edit })) || 'no tag',
    );
    isBusy.value = false;
    const [first] = done;
    if (done.length === 1 && first?.isGood === true) {
      closeOverlay();
      tell(`${first.slug}: ${first.text}`);
    } else outcomes.value = done;
  };
  const choice = (tag: string, word: string, name: string) => (
    <button
      key={word}
      type="button"
      class="button"
      aria-label={name}
      aria-pressed={words.includes(word)}
      onClick={() => {
        const rest = words.filter((one) => one !== word);
        typed.value = [...rest, ...(rest.length === words.length ? [word] : [])].join(' ');
      }}
    >
      {word.startsWith('-') ? '−' : '+'} {tag}
    </button>
  );

  return (
    <Dialog label={title} onClose={closeOverlay} focus={field}>
      <form class="dialog-body stack" onSubmit={submitWith(() => (outcomes.value === null ? save() : closeOverlay()))}>
        <h2>{title}</h2>
        {outcomes.value === null ? (
          <>
            <p class="faint">
              {listed.length === 1
                ? tagsText(listed[0] ?? {}) || 'The session has no tags.'
                : listed.map(({ slug }) => slug).join(', ')}
            </p>
            <input
              ref={field}
              class="input"
              aria-label="Tags to add or remove"
              aria-describedby="tags-hint"
              placeholder="night risky -old"
              autocomplete="off"
              spellcheck={false}
              {...bind(typed)}
            />
            <p id="tags-hint" class="faint">
              {problem ?? 'A dash in front removes a tag. A session’s first tag is its group.'}
            </p>
            <div class="row wrap">
              {theirs.map((tag) => choice(tag, `-${tag}`, `Remove ${tag}`))}
              {others.map((tag) => choice(tag, tag, `Add ${tag}`))}
            </div>
          </>
        ) : (
          <Outcomes outcomes={outcomes.value} />
        )}
        <div class="row end">
          {outcomes.value === null && <CloseButton>Cancel</CloseButton>}
          <button type="submit" class="button primary" disabled={outcomes.value === null && (!isReady || isBusy.value)}>
            {outcomes.value === null ? 'Save' : 'Close'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
