import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { needsPerson, type Session } from '../../protocol/index.ts';
import { addressOf } from '../app/router.ts';
import { Icon } from '../parts/icons.tsx';
import { link, sessions } from '../server/fleet.ts';
import { StatusChip } from '../session/head.tsx';
import { QuestionPanel } from '../session/question.tsx';
import { allGroups } from '../sessions/list.tsx';

/** The longest waiting; as many as anybody scrolls through, and are drawn without the page being felt to stop. */
const SHOWN_AT_ONCE = 20;

/** Beside the list, while no session is open: everything that is being asked, to be answered right here. */
export function HomePage() {
  const isWhole = useSignal(false);
  const all = [...sessions.value.values()];
  if (all.length === 0 && link.value !== 'live') {
    return (
      <div class="empty">
        <p>Connecting…</p>
      </div>
    );
  }
  if (all.length === 0) {
    return (
      <div class="empty">
        <h1>No session yet</h1>
        <p>Start Claude Code in a folder of yours, and watch and answer it here.</p>
        <a class="button primary" href={addressOf({ page: 'new' })}>
          <Icon name="plus" />
          New session
        </a>
      </div>
    );
  }
  const needing = allGroups.value.flatMap((group) => group.sessions).filter(({ status }) => needsPerson(status));
  const shown = isWhole.value ? needing : needing.slice(0, SHOWN_AT_ONCE);
  if (needing.length === 0) {
    return (
      <div class="empty">
        <h1>Nothing needs you</h1>
        <p>
          <kbd>Ctrl</kbd> <kbd>K</kbd> goes anywhere, <kbd>?</kbd> lists all keys.
        </p>
      </div>
    );
  }
  return (
    <div class="inbox">
      <h1>{needing.length === 1 ? 'One session needs you' : `${needing.length} sessions need you`}</h1>
      {shown.map((session) => (
        <Needing key={session.slug} session={session} />
      ))}
      {shown.length < needing.length && (
        <button
          type="button"
          class="button"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show the other {needing.length - shown.length}
        </button>
      )}
    </div>
  );
}

/** Drawn again only when its session changed: the view keeps the objects of the others. */
const Needing = memo(function Needing({ session }: { session: Session }) {
  const { slug, status } = session;
  return (
    <article class="stack" aria-label={slug}>
      <div class="row">
        <a href={addressOf({ page: 'session', slug })}>
          <strong>{slug}</strong>
        </a>
        <StatusChip session={session} />
      </div>
      {status.question === null ? (
        <p class={`notice ${status.primary === 'stuck' ? 'needs' : 'bad'}`}>{problemOf(status)}</p>
      ) : (
        <QuestionPanel key={status.question.id} slug={slug} question={status.question} hasKeys={false} />
      )}
    </article>
  );
});

/** Why a session that asks nothing needs a person. */
function problemOf({ primary, because }: Session['status']): string {
  return primary === 'stuck' ? `No sign of life. The last one was: ${because.evidence}` : because.evidence;
}
