import type { Session } from '../../protocol/index.ts';
import { missingText } from '../../text/missing-words.ts';
import { DEEDS } from '../actions/deeds.ts';
import { overlay } from '../navigation/overlay.ts';
import { attempt } from '../parts/toasts.tsx';

const TRY_AGAIN = {
  screen: 'Stop and restart the session to try again.',
  json: 'The next prompt tries again.',
} as const;

/**
 * Shows that Claude Code no longer has the session's conversation, or has not continued it, and what the user can do
 * about it.
 */
export function MissingNotice({ session }: { session: Session }) {
  const name = (['newConversation', 'keepOther'] as const).find((one) => DEEDS[one].isFor(session));
  if (name === undefined) return null;
  const { slug } = session;
  return (
    <div class="notice bad row wrap" role="status">
      <span class="grow">
        {session.other_conversation === undefined
          ? `${slug}${session.pid === null ? ' does not run' : ''}: ${missingText(session)}. If you can restore that file, do so and restart the session.`
          : `${slug}: ${missingText(session)}. CBOS sends no prompt into it. ${TRY_AGAIN[session.type]}`}
      </span>
      {DEEDS.restart.isFor(session) && (
        <button type="button" class="button" onClick={() => void attempt(() => DEEDS.restart.run(slug))}>
          Try again
        </button>
      )}
      <button
        type="button"
        class="button"
        onClick={() => {
          overlay.value = { about: name, slugs: [slug] };
        }}
      >
        {DEEDS[name].verb}…
      </button>
    </div>
  );
}
