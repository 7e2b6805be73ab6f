import { computed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { elsewhereOf, openQuestions, type RecordingStop, type Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { silentHooksText } from '../../text/hooks-words.ts';
import { LIMIT_OVER_TEXT } from '../../text/limit-words.ts';
import { sharedText } from '../../text/missing-words.ts';
import { recordingText } from '../../text/session-words.ts';
import { client, sessions } from '../connection/fleet.ts';
import { ConversationView } from '../conversation/conversation.tsx';
import { readAsText, TranscriptView } from '../conversation/transcript.tsx';
import { ageText, now } from '../display/clock.ts';
import { useShortcuts } from '../navigation/shortcuts.ts';
import { attempt } from '../parts/toasts.tsx';
import { FarSession } from './far-session.tsx';
import { SessionHead } from './head.tsx';
import { MissingNotice } from './missing-notice.tsx';
import { OpenQuestions } from './open-questions.tsx';
import { ReplyBox } from './reply.tsx';
import { SetUpNotice } from './set-up-notice.tsx';
import { SessionTerminal } from './terminal.tsx';
import { UnlistedSession } from './unlisted.tsx';
import { useLook } from './use-look.ts';

/** Shows one session: its screen or conversation, its question, and the reply field. */
export function SessionPage({ slug, seq }: { slug: string; seq: number | null }) {
  const current = useMemo(() => computed(() => sessions.value.get(slug) ?? null), [slug]);
  const session = current.value;
  const elsewhere = session === null ? null : elsewhereOf(session);
  useLook(elsewhere === null ? session : null);
  const tools = useRef<HTMLDivElement>(null);
  // Set the focus while the component is being drawn, not afterwards. Otherwise a user who is already typing into a
  // field would lose keypresses.
  useLayoutEffect(() => {
    document.getElementById('session-title')?.focus({ preventScroll: true });
  }, [slug]);
  if (session === null) return <UnlistedSession {...{ slug, seq }} />;
  if (elsewhere !== null) return <FarSession session={session} elsewhere={elsewhere} />;
  const blocked = blockedText(session);
  return (
    <>
      <SessionHead session={session} tools={tools} />
      <SessionView {...{ session, seq, tools }} />
      <div class={isTerminal(session) ? 'dock' : 'dock aligned'}>
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
        {session.undrawn_since !== undefined && (
          <p class="notice bad" role="status">
            {recordingText(session)}
          </p>
        )}
        {session.hooks_silent === true && (
          <p class="notice" role="status">
            {silentHooksText(session)}; <code>cbos doctor</code> tells how to change that
          </p>
        )}
        {session.also_open_in !== undefined && (
          <p class="notice bad" role="status">
            {slug}: {sharedText(session)}. Stop one of them.
          </p>
        )}
        <MissingNotice session={session} />
        <SetUpNotice session={session} />
        <EndedLimit session={session} />
        <StoppedQueue session={session} />
        <OpenQuestions slug={slug} questions={openQuestions(session.status)} />
        <ReplyBox session={session} />
      </div>
    </>
  );
}

function isTerminal({ slug, type }: Session): boolean {
  return type !== 'json' && !readAsText.value.has(slug);
}

function SessionView(props: { session: Session; seq: number | null; tools: RefObject<HTMLDivElement | null> }) {
  const { session, seq, tools } = props;
  if (session.type === 'json') return <ConversationView session={session} seq={seq} />;
  return isTerminal(session) ? (
    <SessionTerminal session={session} tools={tools} />
  ) : (
    <TranscriptView session={session} />
  );
}

/** After a usage limit has ended, asks the user whether to continue the turn that it cut off. */
function EndedLimit({ session: { slug, limit_over_at: overAt } }: { session: Session }) {
  const isOver = overAt !== undefined;
  const goOn = (): void => void attempt(() => client.call('continueSession', { params: { slug } }));
  useShortcuts(isOver ? [{ keys: 'c', does: 'Continue after the usage limit', run: goOn }] : [], [slug, isOver]);
  if (!isOver) return null;
  return (
    <div class="notice needs row wrap" role="status">
      <span class="grow">{LIMIT_OVER_TEXT}</span>
      <button type="button" class="button" onClick={goOn}>
        Continue
      </button>
    </div>
  );
}

/** Says that an interrupt has paused the queue, and how to resume it. */
function StoppedQueue({ session: { slug, queue_stopped_at: stoppedAt, limit_over_at: overAt } }: { session: Session }) {
  const isStopped = (stoppedAt ?? null) !== null && overAt === undefined;
  const resume = (): void => void attempt(() => client.call('resumeQueue', { params: { slug } }));
  useShortcuts(isStopped ? [{ keys: 'c', does: 'Resume the queue', run: resume }] : [], [slug, isStopped]);
  if (!isStopped) return null;
  return (
    <div class="notice needs row wrap" role="status">
      <span class="grow">The turn was interrupted, so the queue is paused until you resume it.</span>
      <button type="button" class="button" onClick={resume}>
        Resume the queue
      </button>
    </div>
  );
}

function stopText(because: RecordingStop | null, age: string): string {
  return because === 'removed'
    ? `The files of its recording were removed, and nothing from this session has been recorded for ${age}. CBOS keeps trying to create new files; \`cbos doctor\` shows what prevents this.`
    : `The disk is full, so this session's output has been neither recorded nor shown for ${age}. Free some space; CBOS then continues automatically.`;
}
