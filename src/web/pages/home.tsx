import { useSignal } from '@preact/signals';
import { memo } from 'preact/compat';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isCurrent, needsYou, type Question, type SeenSession, type Session } from '../../protocol/index.ts';
import { link, sessions } from '../connection/fleet.ts';
import { allGroups } from '../list/arranged.ts';
import { keepInPlace, type Lingering, lingering } from '../list/lingering.ts';
import { addressOf } from '../navigation/router.ts';
import { Icon } from '../parts/icons.tsx';
import { StatusChip } from '../session/head.tsx';
import { useOpenSinceFirst } from '../session/open-since-first.ts';
import { QuestionPanel } from '../session/question.tsx';
import { arrangement } from '../session/settled.ts';

/**
 * How many sessions to show at once, starting with the one that has waited longest. Users rarely scroll through more,
 * and drawing this many does not noticeably block the page.
 */
const SHOWN_AT_ONCE = 20;

/**
 * The page that is shown next to the list while no session is open. It shows all open questions, and the user can
 * answer them there.
 */
export function HomePage() {
  const isWhole = useSignal(false);
  const shownBefore = useRef<readonly string[]>([]);
  const all = sessions.value;
  const needing = allGroups.value
    .flatMap((group) => group.sessions)
    .filter((session) => isCurrent(session) && needsYou(session));
  const first = (isWhole.value ? needing : needing.slice(0, SHOWN_AT_ONCE)).map(({ slug }) => slug);
  const shown = keepInPlace(shownBefore.current, first, lingering.value);
  const asked = needing.flatMap(({ slug, status }) => (status.question === null ? [] : [keyOf(slug, status.question)]));
  const sinceFirst = useOpenSinceFirst('home', all.size === 0 ? null : asked);
  useLayoutEffect(() => {
    shownBefore.current = shown;
    arrangement.value = shown.map((slug) => `${slug} ${all.get(slug)?.status.question?.id}`).join('\n');
  });

  if (all.size === 0 && link.value !== 'live') {
    return (
      <div class="empty">
        <p>Connecting…</p>
      </div>
    );
  }
  if (all.size === 0) {
    return (
      <div class="empty">
        <h1>No sessions yet</h1>
        <p>Start Claude Code in one of your folders, then watch and answer it here.</p>
        <a class="button primary" href={addressOf({ page: 'new' })}>
          <Icon name="plus" />
          New session
        </a>
      </div>
    );
  }
  if (shown.length === 0) {
    return (
      <div class="empty">
        <h1>Nothing needs you</h1>
        <LostLink />
        <p>
          <kbd>Ctrl</kbd> <kbd>K</kbd> goes anywhere, <kbd>?</kbd> lists all keys.
        </p>
      </div>
    );
  }
  return (
    <div class="inbox">
      <h1>{headingFor(needing.length)}</h1>
      <LostLink />
      {shown.map((slug) => {
        const session = needing.find((one) => one.slug === slug);
        const answered = lingering.value.get(slug);
        if (session !== undefined) return <Needing key={slug} session={session} sinceFirst={sinceFirst} />;
        return answered === undefined ? null : <Answered key={slug} {...answered} />;
      })}
      {first.length < needing.length && (
        <button
          type="button"
          class="button"
          onClick={() => {
            isWhole.value = true;
          }}
        >
          Show the other {needing.length - first.length}
        </button>
      )}
    </div>
  );
}

/** Links to the lost sessions, if there are any. */
function LostLink() {
  const count = [...sessions.value.values()].filter(({ lost }) => lost !== undefined).length;
  if (count === 0) return null;
  return (
    <p>
      <a href={addressOf({ page: 'lost' })}>{count === 1 ? '1 session is lost' : `${count} sessions are lost`}</a>
    </p>
  );
}

function headingFor(count: number): string {
  if (count === 0) return 'Nothing needs you';
  return count === 1 ? 'One session needs you' : `${count} sessions need you`;
}

interface NeedingProps {
  session: SeenSession;
  /** the questions that have been open ever since the page was opened */
  sinceFirst: ReadonlySet<string> | null;
}

/** Two sessions may use the same id for a question. */
const keyOf = (slug: string, { id }: Question): string => `${slug} ${id}`;

/**
 * Each item is redrawn only when its session has changed, because a view reuses the objects of sessions that have not
 * changed.
 */
const Needing = memo(function Needing({ session, sinceFirst }: NeedingProps) {
  const { slug, status } = session;
  const { question } = status;
  return (
    <article class="stack" aria-label={slug}>
      <CardHead session={session} />
      {question === null ? (
        <p class={`notice ${status.primary === 'stuck' ? 'needs' : 'bad'}`}>{problemOf(status)}</p>
      ) : (
        <QuestionPanel
          key={question.id}
          slug={slug}
          question={question}
          hasKeys={false}
          cameByItself={sinceFirst?.has(keyOf(slug, question)) === false}
        />
      )}
    </article>
  );
});

/**
 * Shows the answer where the question was. It is as high as the question was, so that no other question moves under the
 * pointer.
 */
function Answered({ session, answer, heightPx }: Lingering) {
  return (
    <article class="stack" aria-label={session.slug}>
      <CardHead session={session} />
      <p class="card answered" role="status" style={{ minHeight: `${heightPx}px` }}>
        Answered: {answer}
      </p>
    </article>
  );
}

function CardHead({ session }: { session: Session }) {
  return (
    <div class="row">
      <a href={addressOf({ page: 'session', slug: session.slug })}>
        <strong>{session.slug}</strong>
      </a>
      <StatusChip session={sessions.value.get(session.slug) ?? session} />
    </div>
  );
}

/** Returns why a session needs attention, if it does not ask a question. */
function problemOf({ primary, because }: Session['status']): string {
  return primary === 'stuck' ? `No sign of life. The last one was: ${because.evidence}` : because.evidence;
}
