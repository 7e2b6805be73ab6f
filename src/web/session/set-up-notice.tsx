import { isSetUpOpen, type Session } from '../../protocol/index.ts';
import { setUpStateText } from '../../text/set-up-words.ts';
import { DEEDS } from '../actions/deeds.ts';
import { overlay } from '../navigation/overlay.ts';
import { attempt } from '../parts/toasts.tsx';

/** Shows that the set-up of a session's worktree has not run, and what the user can do about it. */
export function SetUpNotice({ session }: { session: Session }) {
  if (!isSetUpOpen(session)) return null;
  const { slug, worktree } = session;
  const isUntrusted = worktree?.set_up?.state === 'untrusted';
  return (
    <div class="notice needs row wrap" role="status">
      <span class="grow">{setUpStateText(session)}</span>
      {isUntrusted && (
        <button
          type="button"
          class="button"
          onClick={() => {
            overlay.value = { about: 'set-up', slug };
          }}
        >
          Read it…
        </button>
      )}
      {!isUntrusted && DEEDS.restart.isFor(session) && (
        <button type="button" class="button" onClick={() => void attempt(() => DEEDS.restart.run(slug))}>
          Run it again
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => {
          overlay.value = { about: 'skipSetUp', slugs: [slug] };
        }}
      >
        Skip it…
      </button>
    </div>
  );
}
