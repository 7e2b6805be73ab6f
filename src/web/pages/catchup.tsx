import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Catchup, CatchupEvent, CatchupReplay, CatchupSession } from '../../protocol/index.ts';
import {
  catchupEventText,
  catchupHead,
  catchupSummary,
  catchupTimeText,
  replyLines,
  tellingEvents,
} from '../../text/catchup-words.ts';
import { client, link } from '../connection/fleet.ts';
import { addressOf } from '../navigation/router.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { Icon } from '../parts/icons.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';
import { PIECE_S, ReplayPiece } from '../replay/piece.tsx';

/** Shows what happened while the user was away, up to the time when the page was opened or refreshed. */
export function CatchupPage() {
  const catchup = useSignal<Catchup | null>(null);
  const watched = useSignal<CatchupReplay | null>(null);
  const load = async (): Promise<void> => {
    try {
      // A refresh covers the same period as before, although the user is no longer away.
      const since = catchup.peek()?.since;
      catchup.value = await client.call('catchup', since === undefined ? {} : { query: { since } });
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);
  useShortcuts([{ keys: 'r', does: 'Reload what happened', run: () => void load() }], []);
  const found = catchup.value;
  return (
    <>
      <PageHead title="While you were away">
        <button type="button" class="button" disabled={link.value !== 'live'} onClick={() => void load()}>
          Refresh
        </button>
      </PageHead>
      <div class="page stack">
        {found !== null && <p class="faint">{catchupHead(found)}</p>}
        {found?.sessions.map((session) => (
          <Happened key={session.session} session={session} watched={watched} />
        ))}
      </div>
    </>
  );
}

interface HappenedProps {
  session: CatchupSession;
  /** the place in a recording that is being played; only one is played at a time */
  watched: Signal<CatchupReplay | null>;
}

function Happened({ session, watched }: HappenedProps) {
  const { session: slug, asks } = session;
  const summary = catchupSummary(session);
  return (
    <section class="catchup card stack" aria-label={slug}>
      <h2 class="row">
        <a href={addressOf({ page: 'session', slug })}>{slug}</a>
        {asks && <span class="chip">asks you now</span>}
      </h2>
      {summary !== '' && <p class="faint">{summary}</p>}
      {session.reply !== null && <blockquote class="question-text">{replyLines(session.reply).join('\n')}</blockquote>}
      <ul>
        {tellingEvents(session).map((event) => (
          <EventLine key={`${event.at} ${event.kind}`} {...{ slug, event, watched }} />
        ))}
      </ul>
    </section>
  );
}

function EventLine(props: { slug: string; event: CatchupEvent; watched: HappenedProps['watched'] }) {
  const { slug, event, watched } = props;
  const { replay } = event;
  const isWatched = replay !== null && watched.value === replay;
  const what = catchupEventText(event);
  return (
    <li>
      <span class="row">
        <a href={placeOf(slug, event)}>
          <time dateTime={event.at}>{catchupTimeText(event.at, Date.now())}</time> {what}
        </a>
        {replay !== null && (
          <button
            type="button"
            class="button icon"
            aria-label={`Watch ${PIECE_S} seconds: ${what}`}
            aria-expanded={isWatched}
            onClick={() => {
              watched.value = isWatched ? null : replay;
            }}
          >
            <Icon name={isWatched ? 'close' : 'play'} />
          </button>
        )}
      </span>
      {isWatched && <ReplayPiece {...{ slug, recording: olderRecording(slug, replay), t: replay.t }} />}
    </li>
  );
}

/**
 * Returns the address of the place in the recording where an event can be seen, or the session's address if there is no
 * such place.
 */
function placeOf(slug: string, { replay }: CatchupEvent): string {
  if (replay === null) return addressOf({ page: 'session', slug });
  const recording = olderRecording(slug, replay);
  return addressOf({ page: 'replay', slug, recording, offset: null, t: replay.t });
}

/** Returns the name of an earlier recording that a restart moved aside, or null for the newest recording. */
const olderRecording = (slug: string, { recording }: CatchupReplay): string | null =>
  recording === slug ? null : recording;
