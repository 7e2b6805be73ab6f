import { computed } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { RecordingStop } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { ageText, now } from '../app/clock.ts';
import { addressOf } from '../app/router.ts';
import { link, sessions } from '../connection/fleet.ts';
import { ConversationView } from '../conversation/conversation.tsx';
import { SessionHead } from './head.tsx';
import { QuestionPanel } from './question.tsx';
import { ReplyBox } from './reply.tsx';
import { SessionTerminal } from './terminal.tsx';

/** One session: what it shows, what it asks, and where a reply is written. */
export function SessionPage({ slug, seq }: { slug: string; seq: number | null }) {
  const current = useMemo(() => computed(() => sessions.value.get(slug) ?? null), [slug]);
  const session = current.value;
  const askedAtFirst = useRef<{ slug: string; id: string | null } | null>(null);
  // With the picture itself, not after it: by then somebody may be typing into a field, who would lose the keys.
  useLayoutEffect(() => {
    document.getElementById('session-title')?.focus({ preventScroll: true });
  }, [slug]);
  if (session === null) {
    return (
      <div class="empty">
        <h1>{link.value === 'live' ? `There is no session ${slug}` : 'Connecting…'}</h1>
        <a class="button" href={addressOf({ page: 'home' })}>
          To the list
        </a>
      </div>
    );
  }
  const { question } = session.status;
  const blocked = blockedText(session);
  if (askedAtFirst.current?.slug !== slug) askedAtFirst.current = { slug, id: question?.id ?? null };
  const cameByItself = question !== null && question.id !== askedAtFirst.current.id;
  return (
    <>
      <SessionHead session={session} />
      {session.type === 'json' ? (
        <ConversationView session={session} seq={seq} />
      ) : (
        <SessionTerminal session={session} />
      )}
      <div class="dock">
        {blocked !== '' && (
          <p class="notice" role="status">
            {blocked}
          </p>
        )}
        {session.recording_stopped_at !== null && (
          <p class="notice bad" role="status">
            {stopText(session.recording_stopped_because, ageText(Date.parse(session.recording_stopped_at), now.value))}
          </p>
        )}
        {question !== null && <QuestionPanel key={question.id} {...{ slug, question, cameByItself }} hasKeys />}
        <ReplyBox session={session} />
      </div>
    </>
  );
}

function stopText(because: RecordingStop | null, age: string): string {
  return because === 'removed'
    ? `The files of its recording were removed: for ${age} nothing that this session shows has been recorded. It is tried again and again to begin new ones; \`cbos doctor\` says what stands in the way.`
    : `The disk is full: for ${age} nothing that this session shows has been recorded, or is seen here. Free some space; it goes on by itself.`;
}
