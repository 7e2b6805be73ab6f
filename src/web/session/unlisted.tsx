import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CatalogueError, type Session, type StoredEvent } from '../../protocol/index.ts';
import { unarchive } from '../actions/deeds.ts';
import { client, link } from '../connection/fleet.ts';
import { useRead } from '../connection/use-read.ts';
import { Messages } from '../conversation/conversation.tsx';
import { EMPTY_CONVERSATION, foldEvents } from '../conversation/fold-events.ts';
import { TranscriptView } from '../conversation/transcript.tsx';
import { ageText, now } from '../display/clock.ts';
import { addressOf } from '../navigation/router.ts';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/** How many events of an archived conversation to read per request. */
const PAGE_EVENTS = 1_000;

/**
 * The page for a name that is not in the list, either because the session is archived or because no session has this
 * name.
 */
export function UnlistedSession({ slug, seq }: { slug: string; seq: number | null }) {
  /** the session, or null if no session has this name */
  const session = useSignal<Session | null | undefined>(undefined);
  useRead(
    link.value === 'live' ? () => client.call('getSession', { params: { slug } }) : null,
    {
      onRead: (found) => {
        session.value = found;
      },
      onError: (error) => {
        if (error instanceof CatalogueError && error.code === 'no_such_session') session.value = null;
        else tellError(error);
      },
    },
    [slug, link.value],
  );
  const { value } = session;
  // If the session is not archived, the connection's next frame adds it to the list.
  if (value?.archived_at != null) return <Archived session={value} seq={seq} />;
  return (
    <div class="empty">
      <h1>{value === null ? `No session is named ${slug}` : link.value === 'live' ? 'Loading…' : 'Connecting…'}</h1>
      <a class="button" href={addressOf({ page: 'home' })}>
        To the list
      </a>
    </div>
  );
}

/** Shows what an archived session has said, and a button that unarchives it. */
function Archived({ session, seq }: { session: Session; seq: number | null }) {
  const { slug, type, archived_at: at } = session;
  const isBusy = useSignal(false);
  const listAgain = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    if (await attempt(() => unarchive(slug))) tell(`${slug} is listed again`);
    isBusy.value = false;
  };
  return (
    <>
      <PageHead title={slug}>
        {type === 'screen' && (
          <a class="button" href={addressOf({ page: 'replay', slug, recording: null, offset: null, t: null })}>
            Replay
          </a>
        )}
        <button
          type="button"
          class="button primary"
          disabled={isBusy.value || link.value !== 'live'}
          onClick={() => void listAgain()}
        >
          List it again
        </button>
      </PageHead>
      <p class="notice" role="status">
        Archived{at == null ? '' : ` since ${ageText(Date.parse(at), now.value)}`}. It appears in no list or count.
        Nothing was deleted.
      </p>
      {type === 'json' ? <PastConversation {...{ session, seq }} /> : <TranscriptView session={session} />}
    </>
  );
}

/** Read the conversation only once, because that of an archived session does not grow. */
function PastConversation({ session, seq }: { session: Session; seq: number | null }) {
  const { slug } = session;
  const conversation = useSignal(EMPTY_CONVERSATION);
  const hint = useSignal('Loading…');
  useEffect(() => {
    let isGone = false;
    const read = async (): Promise<void> => {
      const all: StoredEvent[] = [];
      for (let after: number | undefined; !isGone; ) {
        const query = { limit: PAGE_EVENTS, ...(after === undefined ? {} : { after }) };
        const page = await client.call('events', { params: { slug }, query });
        all.push(...page.events);
        if (page.events.length < PAGE_EVENTS) break;
        after = all.at(-1)?.seq;
      }
      if (isGone) return;
      conversation.value = foldEvents(EMPTY_CONVERSATION, all);
      hint.value = 'Nothing was asked.';
    };
    void read().catch(tellError);
    return () => {
      isGone = true;
    };
  }, [slug]);
  return <Messages {...{ session, seq, hint: hint.value }} conversation={conversation.value} />;
}
