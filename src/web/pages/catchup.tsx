import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Catchup, CatchupEvent, CatchupSession } from '../../protocol/index.ts';
import {
  catchupEventText,
  catchupHead,
  catchupSummary,
  catchupTimeText,
  replyLines,
  tellingEvents,
} from '../../text/catchup-words.ts';
import { addressOf } from '../app/router.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { client, link } from '../connection/fleet.ts';
import { PageHead } from '../parts/page-head.tsx';
import { tellError } from '../parts/toasts.tsx';

/** Shows what happened while the person was away, as of when the page was opened or refreshed. */
export function CatchupPage() {
  const catchup = useSignal<Catchup | null>(null);
  const load = async (): Promise<void> => {
    try {
      // A refresh covers the same period as before, although the person is here now.
      const since = catchup.peek()?.since;
      catchup.value = await client.call('catchup', since === undefined ? {} : { query: { since } });
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);
  useShortcuts([{ keys: 'r', does: 'Read again what happened', run: () => void load() }], []);
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
          <Happened key={session.session} session={session} />
        ))}
      </div>
    </>
  );
}

function Happened({ session }: { session: CatchupSession }) {
  const { session: slug, asks } = session;
  const summary = catchupSummary(session);
  const now = Date.now();
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
          <li key={`${event.at} ${event.kind}`}>
            <a href={placeOf(slug, event)}>
              <time dateTime={event.at}>{catchupTimeText(event.at, now)}</time> {catchupEventText(event)}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns the address of the recording at an event, or the session's address if no recording shows the event. */
function placeOf(slug: string, { replay }: CatchupEvent): string {
  if (replay === null) return addressOf({ page: 'session', slug });
  const { recording, t } = replay;
  return addressOf({ page: 'replay', slug, recording: recording === slug ? null : recording, offset: null, t });
}
